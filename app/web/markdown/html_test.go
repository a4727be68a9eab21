package markdown

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"gatehouse/agentd/linear"
)

func TestHTML(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"a paragraph with emphasis", "The disk is **42 %** full.", "<p>The disk is <strong>42 %</strong> full.</p>\n"},
		{"a list keeps its start", "3. c\n4. d", "<ol start=\"3\">\n<li>c</li>\n<li>d</li>\n</ol>\n"},
		{"code can be scrolled by keyboard", "```sh\ndf -h <x>\n```", "<pre tabindex=\"0\"><code>df -h &lt;x&gt;\n</code></pre>\n"},
		{"a heading stays below those of the page", "# Big", "<h3>Big</h3>\n"},
		{
			"a link is nofollow and names its host", "[invoice](https://example.com/a?b=1&c=2)",
			`<p><a href="https://example.com/a?b=1&amp;c=2" rel="nofollow noreferrer noopener" target="_blank">invoice</a> <span class="host">(example.com)</span></p>` + "\n",
		},
		{
			"a bare address needs no second mention", "see https://example.com/x",
			`<p>see <a href="https://example.com/x" rel="nofollow noreferrer noopener" target="_blank">https://example.com/x</a></p>` + "\n",
		},
		{"an image is its text", "![the plan](https://example.com/leak?x=1)", "<p>[the plan]</p>\n"},
		{"script is shown, not run", "<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"},
		{"inline HTML is shown", "a <b id=x onclick=y()>b</b>", "<p>a &lt;b id=x onclick=y()&gt;b&lt;/b&gt;</p>\n"},
		{"a script address loses its link", "[x](javascript:alert(1))", "<p>x</p>\n"},
		{"an address on our own host is no link", "[x](/auth/sign-out)", "<p>x</p>\n"},
		{"a table scrolls inside", "|a|b|\n|-|:-:|\n|1|2|", "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead>\n<tr>\n<th>a</th>\n<th align=\"center\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align=\"center\">2</td>\n</tr>\n</tbody>\n</table></div>\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := HTML(c.in); got != c.want {
				t.Errorf("HTML(%q)\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

// What would keep a parser busy is shown as it was written: time and size stay in proportion to the text.
func TestDocument_hostileTextStaysCheap(t *testing.T) {
	t.Parallel()
	const size = 64 << 10
	for _, piece := range []string{
		">", "> ", "- ", "1. ", "* ", "[", "![", "[a](", "![a](b", "](", "[a][", "*", "**a ", "a*b_", "~~a", "`", "|a", "a|b\n-|-\n", "<a ", "<!--", "&", "\\", "http://", "www.a", "- a\n  ", ">\n",
	} {
		linear.Check(t, piece, size/4, func(n int) {
			if out := Document(strings.Repeat(piece, n/len(piece))); len(out) > 12*n {
				t.Errorf("%d bytes of %q became %d", n, piece, len(out))
			}
		})
	}
}

// used is the processor time of fn: other load on the machine does not count.
func used(t testing.TB, fn func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &before); err != nil {
		t.Fatal(err)
	}
	fn()
	if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &after); err != nil {
		t.Fatal(err)
	}
	return time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
}

func BenchmarkHTML_tail(b *testing.B) {
	block := strings.Repeat("A sentence with **strong** words and `code`. ", 20)
	b.SetBytes(int64(len(block)))
	for b.Loop() {
		HTML(block)
	}
}
