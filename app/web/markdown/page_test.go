package markdown

import "testing"

func TestPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"a page of ours", "[x](/help/levels#who)", "<p><a href=\"/help/levels#who\">x</a></p>\n"},
		{"a place on the page", "[x](#who)", "<p><a href=\"#who\">x</a></p>\n"},
		{"the first page", "[x](/)", "<p><a href=\"/\">x</a></p>\n"},
		{
			"another site is nofollow and named", "[x](https://example.com/a)",
			`<p><a href="https://example.com/a" rel="nofollow noreferrer noopener" target="_blank">x</a>` +
				` <span class="host">(example.com)</span></p>` + "\n",
		},
		{"another site without a scheme is no link", "[x](//example.com/a)", "<p>x</p>\n"},
		{"nor behind a backslash", `[x](/\\example.com)`, "<p>x</p>\n"},
		{"a path from here is no link", "[x](auth/sign-out)", "<p>x</p>\n"},
		{"a script is no link", "[x](javascript:alert(1))", "<p>x</p>\n"},
		{"a phone number", "[call](tel:+4912345)", "<p><a href=\"tel:+4912345\">call</a></p>\n"},
		{"script is shown, not run", "<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"},
		{"a picture is its text", "![x](/favicon.ico)", "<p>[x]</p>\n"},
		{"headings keep their level", "### a\n\n#### b", "<h3>a</h3>\n<h4>b</h4>\n"},
		{"and stay below their section", "# a", "<h3>a</h3>\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Page(c.in); got != c.want {
				t.Errorf("Page(%q)\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}
