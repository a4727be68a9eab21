package mail

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		p    Props
		link string
	}{
		"verify":     {Props{Kind: Verify, Name: "The owner", Token: "tok_1-A", Hub: "https://hub.example"}, "https://hub.example/auth/verify/tok_1-A"},
		"sign_in":    {Props{Kind: SignIn, Token: "tok_1-A", Hub: "https://hub.example"}, "https://hub.example/auth/link/tok_1-A"},
		"second on":  {Props{Kind: SecondOn, Name: "The owner", Hub: "https://hub.example"}, "https://hub.example/app/settings/sign-in"},
		"second off": {Props{Kind: SecondOff, Name: "The owner", Hub: "https://hub.example"}, "https://hub.example/app/settings/sign-in"},
		"passkey":    {Props{Kind: PasskeyOn, Name: "The owner", Hub: "https://hub.example"}, "https://hub.example/app/settings/sign-in"},
		"of staff":   {Props{Kind: StaffPasskeyOn, Name: "A clerk", Hub: "https://hub.example"}, "https://hub.example/admin/profile"},
		"password":   {Props{Kind: PasswordNew, Name: "The owner", Hub: "https://hub.example"}, "https://hub.example/app/settings/sign-in"},
		"reset":      {Props{Kind: Reset, Name: "The owner", Token: "tok_1-A", Hub: "https://hub.example/"}, "https://hub.example/auth/reset/tok_1-A"},
		"welcome":    {Props{Kind: Welcome, Name: "The owner", Hub: "http://localhost:8080"}, "http://localhost:8080/app"},
		"staff key":  {Props{Kind: StaffKey, Name: "The owner", Hub: "https://hub.example"}, "https://hub.example/app/settings/approvers"},
		"invited":    {Props{Kind: StaffInvite, By: "The owner", Token: "t_1-A", Hub: "http://hub"}, "http://hub/admin/auth/invite/t_1-A"},
		"first":      {Props{Kind: InviteFirst, Business: "A bakery", Token: "t_1-A", Hub: "http://hub"}, "http://hub/auth/invite/t_1-A"},
		"second":     {Props{Kind: StaffSecond, Name: "A clerk", Token: "t_1-A", Hub: "http://hub"}, "http://hub/admin/auth/second/t_1-A"},
		"payment":    {Props{Kind: PaymentWaiting, Name: "The owner", Hub: "http://hub"}, "http://hub/checkout/pay"},
		"unpaid":     {Props{Kind: PaymentFailed, Name: "The owner", Hub: "http://hub"}, "http://hub/app/billing"},
		"paused":     {Props{Kind: PaymentPaused, Name: "The owner", Hub: "http://hub"}, "http://hub/app/billing"},
		"last":       {Props{Kind: PaymentLast, Name: "The owner", Hub: "http://hub"}, "http://hub/app/billing"},
		"expires":    {Props{Kind: PaymentExpires, Name: "The owner", Hub: "http://hub"}, "http://hub/app/billing"},
		"pool low":   {Props{Kind: PoolLow, Name: "The owner", Hub: "http://hub"}, "http://hub/app/agents/limits"},
		"pool empty": {Props{Kind: PoolEmpty, Hub: "http://hub", Pool: Pool{Beyond: true}}, "http://hub/app/agents/limits"},
		"plan":       {Props{Kind: PlanChanged, Hub: "http://hub", Plan: Plan{Name: "Scale"}}, "http://hub/app/billing"},
		"cancelled":  {Props{Kind: PlanCancelled, Name: "The owner", Hub: "http://hub"}, "http://hub/app/billing"},
		"kept":       {Props{Kind: PlanKept, Name: "The owner", Hub: "http://hub"}, "http://hub/app/billing"},
		"address":    {Props{Kind: PlanAddress, Name: "The owner", Hub: "http://hub"}, "http://hub/app/billing"},
		"disputed":   {Props{Kind: PaymentHelp, Hub: "http://h", Ref: "c", Act: Destroyed{Name: "lost"}}, "http://h/admin/customers/c"},
		"one asked":  {Props{Kind: Approvals, Name: "The owner", Hub: "https://hub.example", Asked: waiting(1)}, "https://hub.example/app/approvals/a0"},
		"many asked": {Props{Kind: Approvals, Name: "The owner", Hub: "https://hub.example", Asked: waiting(9)}, "https://hub.example/app/approvals"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, err := Write(t.Context(), c.p)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := goquery.NewDocumentFromReader(strings.NewReader(l.HTML))
			if err != nil {
				t.Fatal(err)
			}
			doc.Find("a").Each(func(_ int, a *goquery.Selection) {
				if href := a.AttrOr("href", ""); href != c.link {
					t.Errorf("link %q, want %q", href, c.link)
				}
			})
			if doc.Find("a").Length() != 2 || !strings.Contains(l.Text, "\n"+c.link+"\n") {
				t.Errorf("links are missing:\n%s", l.Text)
			}
			if n := doc.Find("style, script, img").Length(); n != 0 {
				t.Errorf("%d elements that the content policy or mail programs would block", n)
			}
			if n := doc.Find("[width]:not([width='100%'])").Length(); n != 0 {
				t.Errorf("%d elements as wide as no phone", n)
			}
			doc.Find("[style]").Each(func(_ int, e *goquery.Selection) {
				if s := e.AttrOr("style", ""); s != "max-width:560px" && s != "word-break:break-all" {
					t.Errorf("a style that some mail programs do not know: %s", s)
				}
			})
			if strings.Contains(l.Subject+l.HTML+l.Text, "⟦") {
				t.Error("words are missing from the catalogue")
			}
			for line := range strings.Lines(l.Text) {
				if n := utf8.RuneCountInString(line); n > columns+1 && !strings.HasPrefix(line, "http") {
					t.Errorf("line of %d columns: %s", n, line)
				}
			}
			if title := doc.Find("h1").Text(); !strings.HasPrefix(l.Text, title) || l.Subject == "" {
				t.Errorf("text and HTML differ: %q", title)
			}
		})
	}
}

func waiting(n int) (all []Asked) {
	for i := range n {
		all = append(all, Asked{
			ID: fmt.Sprintf("a%d", i), Code: fmt.Sprintf("K7M2Q%d", i), Agent: "IT admin", Tool: "file_delete", Tier: "red", Facts: []string{"14 files"},
			Until: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC),
		})
	}
	return all
}

// TestWrite_digest: a letter names a few and counts the rest, so that a flood of requests is one short mail.
func TestWrite_digest(t *testing.T) {
	t.Parallel()
	for n, want := range map[int][]string{
		1:  {"A request needs your approval", "K7M2Q0: IT admin wants to delete files (Deletes or removes, 14 files). Answer by 2 Mar 09:00 UTC."},
		5:  {"5 requests need", "K7M2Q0", "K7M2Q4"},
		6:  {"6 requests need", "K7M2Q4", "and one more"},
		99: {"99 requests need", "K7M2Q4", "and 94 more"},
	} {
		l, err := Write(t.Context(), Props{Kind: Approvals, Name: "The owner", Hub: "https://hub.example", Asked: waiting(n)})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if flat := strings.Join(strings.Fields(l.Text), " "); !strings.Contains(flat, w) || !strings.Contains(l.HTML, w) {
				t.Errorf("%d: %q is missing in\n%s", n, w, l.Text)
			}
		}
		if strings.Contains(l.Text, "K7M2Q5") {
			t.Errorf("%d: the letter is no digest:\n%s", n, l.Text)
		}
	}
}

// TestWrite_waiting: an address that is not confirmed hears that something waits, and nothing that helps to decide it.
func TestWrite_waiting(t *testing.T) {
	t.Parallel()
	l, err := Write(t.Context(), Props{Kind: Waiting, Name: "The owner", Hub: "https://hub.example", Count: 2, Asked: waiting(2)})
	if err != nil {
		t.Fatal(err)
	}
	if l.Subject != "2 requests need your approval" || !strings.Contains(l.Text, "sign in to Gatehouse") {
		t.Errorf("%s\n%s", l.Subject, l.Text)
	}
	for _, never := range []string{"K7M2Q0", "IT admin", "file_delete", "/app", "href"} {
		if strings.Contains(l.Text, never) || strings.Contains(l.HTML, never) {
			t.Errorf("the letter holds %q:\n%s", never, l.Text)
		}
	}
}

func TestWrite_namesAreEscaped(t *testing.T) {
	t.Parallel()
	l, err := Write(t.Context(), Props{Kind: Welcome, Name: `<img src=x onerror=alert(1)>`, Hub: "https://hub.example"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(l.HTML, "<img") {
		t.Error("a name became an element")
	}
}

func TestWrite_unknownKind(t *testing.T) {
	t.Parallel()
	if _, err := Write(t.Context(), Props{Kind: "poem"}); err == nil {
		t.Error("wrote a letter of an unknown kind")
	}
}
