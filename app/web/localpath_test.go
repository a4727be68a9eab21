package web

import (
	"net/url"
	"strings"
	"testing"
)

func TestLocalPath(t *testing.T) {
	t.Parallel()
	for next, want := range map[string]string{
		"/app":                      "/app",
		"/app/chat/1?after=2&x=%20": "/app/chat/1?after=2&x=%20",
		"/app/../admin":             "/admin",
		"/%e2%82%ac":                "/%E2%82%AC",
		"":                          "/home",
		"app":                       "/home",
		"//evil":                    "/home",
		"///evil":                   "/evil",
		"/\\evil":                   "/home",
		"/%5cevil":                  "/home",
		"/%09/evil":                 "/home",
		"/\t/evil":                  "/home",
		"\t//evil":                  "/home",
		"/\n/evil":                  "/home",
		"https:evil":                "/home",
		"https://evil":              "/home",
		"javascript:alert(1)":       "/home",
		"/%zz":                      "/home",
	} {
		if got := LocalPath(next, "/home"); got != want {
			t.Errorf("LocalPath(%q) = %q, want %q", next, got, want)
		}
	}
}

func FuzzLocalPath(f *testing.F) {
	for _, s := range []string{"/a", "//e", "/\\e", "/%2f/e", "/..//e", "/./\\e", "/a?b#c", "/%2e%2e//e"} {
		f.Add(s)
	}
	base, err := url.Parse("http://hub.test/auth/sign-in")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, next string) {
		got := LocalPath(next, "/home")
		if !strings.HasPrefix(got, "/") || strings.HasPrefix(got, "//") || strings.HasPrefix(got, "/\\") {
			t.Fatalf("LocalPath(%q) = %q leaves the hub", next, got)
		}
		if to, err := base.Parse(got); err != nil || to.Host != "hub.test" {
			t.Fatalf("LocalPath(%q) = %q leads to %v, %v", next, got, to, err)
		}
	})
}
