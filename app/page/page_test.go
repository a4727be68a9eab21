package page_test

import (
	"slices"
	"strings"
	"testing"

	"gatehouse/app/fault"
	"gatehouse/app/page"
)

func TestAsk_Clean(t *testing.T) {
	t.Parallel()
	const cursor = "01890a5d-ac96-774b-bcce-b302099a8057"
	for _, c := range []struct {
		situation string
		in        page.Ask
		limit     int // 0: refused
	}{
		{"nothing said", page.Ask{}, 50},
		{"the most", page.Ask{Limit: 200, After: cursor}, 200},
		{"too many", page.Ask{Limit: 201}, 0},
		{"less than none", page.Ask{Limit: -1}, 0},
		{"a text to look for", page.Ask{Search: strings.Repeat("ü", 100)}, 50},
		{"a long text to look for", page.Ask{Search: strings.Repeat("x", 101)}, 0},
		{"a text that is none", page.Ask{Search: "a\x00"}, 0},
		{"a text in no coding", page.Ask{Search: "\xff"}, 0},
		{"a cursor that is none", page.Ask{After: "1' OR 1=1"}, 0},
	} {
		got, err := c.in.Clean()
		if c.limit == 0 {
			if err == nil || fault.Of(err).Kind != fault.Invalid {
				t.Errorf("%s: %+v, %v; want it refused", c.situation, got, err)
			}
			continue
		}
		if err != nil || got.Limit != c.limit || got.After != c.in.After {
			t.Errorf("%s: %+v, %v", c.situation, got, err)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	self := func(s string) string { return s }
	if p := page.Cut([]string{"a", "b", "c"}, 2, self); !slices.Equal(p.Items, []string{"a", "b"}) || p.Next != "b" {
		t.Errorf("more to come: %+v", p)
	}
	if p := page.Cut([]string{"a", "b"}, 2, self); len(p.Items) != 2 || p.Next != "" {
		t.Errorf("the end, exactly: %+v", p)
	}
	if p := page.Cut([]string{}, 2, self); len(p.Items) != 0 || p.Next != "" {
		t.Errorf("nothing: %+v", p)
	}
}
