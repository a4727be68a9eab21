package hx

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/a-h/templ"
)

// element renders attributes as they stand in a page.
func element(t *testing.T, attrs templ.OrderedAttributes) string {
	t.Helper()
	var b strings.Builder
	if err := templ.RenderAttributes(t.Context(), &b, attrs); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func TestRequest_attrs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		situation string
		request   Request
		want      string
	}{
		{
			"a form that swaps its card", Post("/a/1").Target("closest .approval").Swap(OuterMorph).Disable("findAll button").Once(),
			`hx-post="/a/1" hx-target="closest .approval" hx-swap="outerMorph" hx-disable="findAll button" hx-sync="this:drop"`,
		},
		{
			"a search", Get("/list").Trigger("input changed delay:250ms").Latest().ReplaceURL(),
			`hx-get="/list" hx-trigger="input changed delay:250ms" hx-sync="this:replace" hx-replace-url="true"`,
		},
		{"an address with an ampersand", Get("/list?a=1&b=2").NoValidate(), `hx-get="/list?a=1&amp;b=2" hx-validate="false"`},
	} {
		if got := element(t, tc.request.Attrs()); got != tc.want {
			t.Errorf("%s:\n got %s\nwant %s", tc.situation, got, tc.want)
		}
	}
}

// TestRequest_isAValue: building on a request leaves it as it was.
func TestRequest_isAValue(t *testing.T) {
	t.Parallel()
	base := Post("/x").Target("this")
	one, two := base.Swap(InnerHTML), base.Swap(Delete)
	if a, b := element(t, one.Attrs()), element(t, two.Attrs()); !strings.Contains(a, "innerHTML") || !strings.Contains(b, "delete") {
		t.Errorf("%s / %s", a, b)
	}
	if len(base.Attrs()) != 2 {
		t.Errorf("the base has grown: %v", base.Attrs())
	}
}

func TestStream_attrs(t *testing.T) {
	t.Parallel()
	if got := element(t, Stream("/app/stream?page=chat")); got != `hx-sse:connect="/app/stream?page=chat" hx-swap="none"` {
		t.Error(got)
	}
}

func TestPartial_escapes(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	ctx := templ.WithChildren(t.Context(), templ.Raw("<p>text</p>"))
	if err := Partial(`#a"b`, Append).Render(ctx, &b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != `<hx-partial hx-target="#a&#34;b" hx-swap="beforeend"><p>text</p></hx-partial>` {
		t.Error(got)
	}
}

// TestNames_areHtmxs finds every attribute, swap style and setting in the vendored scripts: a misspelt one would only be
// ignored by browsers.
func TestNames_areHtmxs(t *testing.T) {
	t.Parallel()
	var script string
	for _, file := range []string{"htmx-4.0.1.min.js", "hx-sse-4.0.1.min.js"} {
		b, err := os.ReadFile("../../../static/vendor/" + file)
		if err != nil {
			t.Fatal(err)
		}
		script += string(b)
	}
	all := Get("/").Target("").Swap("").Trigger("").ReplaceURL().Disable("").Once().NoValidate().Attrs()
	all = append(all, Ignore()...)
	all = append(all, Stream("/")...)
	var names []string
	for _, a := range all {
		names = append(names, strings.TrimSuffix(a.Key, "get"))
	}
	for _, s := range []Style{OuterMorph, InnerMorph, OuterHTML, InnerHTML, Text, Before, Prepend, Append, After, Delete, None} {
		names = append(names, string(s))
	}
	var settings map[string]any
	if err := json.Unmarshal([]byte(Config), &settings); err != nil {
		t.Fatal(err)
	}
	for name := range settings {
		names = append(names, name)
	}
	for _, n := range names {
		if short := strings.TrimPrefix(strings.TrimPrefix(n, "hx-sse:"), "hx-"); !strings.Contains(script, n) && !strings.Contains(script, `"`+short+`"`) {
			t.Errorf("htmx does not know %q", n)
		}
	}
}
