package push_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse/app/fault"
	"gatehouse/app/push"
	"gatehouse/app/push/pushtest"
)

// TestParseSubscription_where: only what can be a push service on the public Internet is taken.
func TestParseSubscription_where(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]struct{ public, local bool }{
		"https://push.example.com/p/1":               {true, true},
		"https://push.example.com:443/p/1?x=1":       {true, true},
		"http://push.example.com/p/1":                {false, false},
		"https://push.example.com:8443/p/1":          {false, false},
		"https://user@push.example.com/":             {false, false},
		"https://push.example.com/#x":                {false, false},
		"https://127.0.0.1/":                         {false, true},
		"http://127.0.0.1:8080/":                     {false, true},
		"http://[::1]:8080/":                         {false, true},
		"http://localhost:9/":                        {false, true},
		"https://localhost/":                         {false, true},
		"https://a.localhost/":                       {false, false},
		"https://10.0.0.1/":                          {false, false},
		"https://169.254.169.254/latest":             {false, false},
		"https://[fd00::1]/":                         {false, false},
		"https://8.8.8.8/":                           {false, false},
		"https://intranet/":                          {false, false},
		"https://push.example.com./":                 {false, false},
		"ftp://push.example.com/":                    {false, false},
		"javascript:alert(1)":                        {false, false},
		"//push.example.com/":                        {false, false},
		"":                                           {false, false},
		"https://e.com/" + strings.Repeat("x", 1024): {false, false},
	} {
		for local, ok := range map[bool]bool{false: want.public, true: want.local} {
			if _, err := push.ParseSubscription(sentOf(t, endpoint, nil), local); (err == nil) != ok {
				t.Errorf("%.60s, local %t: %v", endpoint, local, err)
			}
		}
	}
}

// TestParseSubscription_keys: keys that no browser makes are refused, and so is what is no subscription.
func TestParseSubscription_keys(t *testing.T) {
	t.Parallel()
	const endpoint = "https://push.example.com/p/1"
	if _, err := push.ParseSubscription(sentOf(t, endpoint, nil), false); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(keys map[string]string){
		"no point":                 func(k map[string]string) { k["p256dh"] = "AAAA" },
		"a point off the curve":    func(k map[string]string) { k["p256dh"] = "B" + strings.Repeat("A", 86) },
		"a short secret":           func(k map[string]string) { k["auth"] = "AAAA" },
		"a secret of another kind": func(k map[string]string) { k["auth"] = "?" },
		"none":                     func(k map[string]string) { clear(k) },
	} {
		if _, err := push.ParseSubscription(sentOf(t, endpoint, change), false); fault.Of(err).Kind != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, sent := range []string{"", "null", "[]", "{", `"x"`, sentOf(t, endpoint, nil) + strings.Repeat(" ", 4096)} {
		if _, err := push.ParseSubscription(sent, false); fault.Of(err).Kind != fault.Invalid {
			t.Errorf("%.20q: %v", sent, err)
		}
	}
}

// TestSubscription_hides: whatever prints a subscription, it tells nothing.
func TestSubscription_hides(t *testing.T) {
	t.Parallel()
	s, err := push.ParseSubscription(sentOf(t, "https://push.example.com/zzsecret", nil), false)
	if err != nil {
		t.Fatal(err)
	}
	w := push.Waiting{Subscription: s}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		text := fmt.Sprintf(verb, s) + fmt.Sprintf(verb, &s) + fmt.Sprintf(verb, w) + s.LogValue().String()
		for _, told := range []string{"zzsecret", "push.example.com", s.Auth, s.P256dh, fmt.Sprintf("%x", "zzsecret")} {
			if strings.Contains(text, told) {
				t.Errorf("%s prints %s", verb, text)
			}
		}
	}
}

// sentOf is what a browser sends for that address, with its keys as change leaves them.
func sentOf(t *testing.T, endpoint string, change func(keys map[string]string)) string {
	t.Helper()
	b := pushtest.Start(t, time.Now).Subscribe("")
	keys := map[string]string{"p256dh": b.P256dh, "auth": b.Auth}
	if change != nil {
		change(keys)
	}
	out, err := json.Marshal(map[string]any{"endpoint": endpoint, "keys": keys})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
