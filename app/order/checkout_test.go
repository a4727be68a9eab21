package order

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"gatehouse/app/dns"
	"gatehouse/app/fault"
	"gatehouse/app/pricing"
)

func TestChoice_check(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		situation string
		in        Choice
		field     string // of the fault; empty: accepted
	}{
		{"a plan alone", Choice{Plan: "build"}, ""},
		{"everything", Choice{Plan: "lite", Region: NA, BusinessType: "craft"}, ""},
		{"no plan", Choice{}, "plan"},
		{"a region that is none", Choice{Plan: "build", Region: "moon"}, "region"},
		{"letters of any script", Choice{Plan: "build", BusinessType: "Bäckerei 日本"}, ""},
		{"a control character", Choice{Plan: "build", BusinessType: "shop\x00"}, "business_type"},
		{"what is no text", Choice{Plan: "build", BusinessType: "shop\xff"}, "business_type"},
		{"a domain of one's own", Choice{Plan: "build", Domain: " Bakery.COM "}, ""},
		{"what is no domain", Choice{Plan: "build", Domain: "our bakery"}, "domain"},
		{"everybody's domain", Choice{Plan: "build", Domain: "co.uk"}, "domain"},
		{"a long story", Choice{Plan: "build", BusinessType: strings.Repeat("x", 61)}, "business_type"},
	} {
		plan, out, err := c.in.check(pricing.Plans(), dns.Policy{Own: true})
		if c.field == "" {
			if err != nil || plan.ID != c.in.Plan || out.Region == "" {
				t.Errorf("%s: %+v, %v", c.situation, out, err)
			}
			continue
		}
		if f := fault.Of(err); f.Kind != fault.Invalid || f.Fields[c.field] == "" {
			t.Errorf("%s: %v", c.situation, err)
		}
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	name := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	for in, stem := range map[string]string{
		"Example Bakery": "example-bakery-", "  Käse & Brot  ": "kase-brot-", "Ångström Ñandú": "angstrom-nandu-", "日本": "business-", "": "business-",
		"a.com;reboot\n$(id)": "a-com-reboot-id-", strings.Repeat("long ", 40): "long-long-",
	} {
		got := slug(in)
		if !strings.HasPrefix(got, stem) || !name.MatchString(got) || len(got) > 63 {
			t.Errorf("%q becomes %q", in, got)
		}
		if got == slug(in) {
			t.Errorf("two businesses called %q meet at %q", in, got)
		}
	}
}

func TestReason(t *testing.T) {
	t.Parallel()
	cause := errors.New("secret detail")
	if got := Reason(Final("The machine is full.", cause)); got != "The machine is full." {
		t.Errorf("final: %q", got)
	}
	if got := Reason(cause); got == "" || strings.Contains(got, "secret detail") {
		t.Errorf("unknown: %q", got)
	}
	if err := Final("x", cause); !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
}
