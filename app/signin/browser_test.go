package signin

import "testing"

func TestSignin_Device(t *testing.T) {
	t.Parallel()
	const (
		webkit = "AppleWebKit/605.1.15 (KHTML, like Gecko) "
		chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 "
	)
	for _, c := range [][3]string{
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) " + chrome + "Safari/537.36 Edg/126.0.0.0", "Edge", "Windows"},
		{"Mozilla/5.0 (Linux; Android 14; K) " + chrome + "Mobile Safari/537.36", "Chrome", "Android"},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5) " + webkit + "Version/17.5 Mobile/15E148 Safari/604.1", "Safari", "iPhone"},
		{"Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0", "Firefox", "Linux"},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) " + webkit + "Version/17.5 Safari/605.1.15", "Safari", "Mac"},
		{"curl/8.5.0", "", ""},
		{"", "", ""},
	} {
		browser, system := Signin{Browser: c[0]}.Device()
		if got := [2]string{browser, system}; got != [2]string(c[1:]) {
			t.Errorf("%s: %q, want %q", c[0], got, c[1:])
		}
	}
}
