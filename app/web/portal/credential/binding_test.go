package credential

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"

	_ "gatehouse/agentd/seeded"
)

// Places stand in the form as lines, and are read from it as they were written.
func TestBindings_areReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(drawnPlace), 0, 5).Draw(t, "places")
		text := ""
		for _, b := range all {
			text += "  " + bindingLine(b) + "\r\n\r\n"
		}
		got, err := bindingsOf(text)
		if err != nil || !slices.Equal(got, all) {
			t.Fatalf("%q is read as %+v, %v; was %+v", text, got, err, all)
		}
	})
}

// drawnPlace draws one place.
func drawnPlace(t *rapid.T) wire.SecretBinding {
	b := wire.SecretBinding{Tool: rapid.SampledFrom([]string{"http_request", "env_update"}).Draw(t, "tool")}
	name := rapid.StringMatching(`[A-Za-z0-9_./#-]{1,20}`).Draw(t, "name")
	if b.Tool == "env_update" {
		b.Field = name
		return b
	}
	b.Scheme = rapid.SampledFrom([]string{"http", "https"}).Draw(t, "scheme")
	b.Host = rapid.SampledFrom([]string{"blog.example.com", "127.0.0.1", "::1", "fd00::12", "xn--bcher-kva.example"}).Draw(t, "host")
	b.Port = rapid.SampledFrom([]int{80, 443, 8080, 1, 65535}).Draw(t, "port")
	if rapid.Bool().Draw(t, "header") {
		b.Header = name
	} else {
		b.Field = name
	}
	return b
}

func TestBindings_refuseWhatCouldBeReadInTwoWays(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"http_request", "http_request header", "http_request header A B", "http_request https://a.example header", "http_request https://a.example",
		"http_request ftp://a.example header A", "http_request https:// header A", "http_request https://a.example:0 header A",
		"http_request https://a.example:65536 header A", "http_request https://a.example: header A", "http_request https://u@a.example header A",
		"http_request https://a.example/x header A", "http_request https://a.example?x header A", "http_request https://a.example#x header A",
		"http_request https://*.example header A", "http_request https://bücher.example header A", "http_request https://[::1 header A",
		`http_request https://a.example\@b.example header A`, "http_request https://a.example cookie A",
	} {
		if got, err := bindingsOf("env_update field a#B\n" + line); err == nil || !strings.HasPrefix(fault.Of(err).Fields["bindings"], "Line 2:") {
			t.Errorf("%q is read as %+v, %v", line, got, err)
		}
	}
}
