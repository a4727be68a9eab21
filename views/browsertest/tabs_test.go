package browsertest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"gatehouse/views/browsertest"
)

// TestTabs: who is lent a tab that another test has used finds nothing of it.
func TestTabs(t *testing.T) {
	browser, stop, err := browsertest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>Page</title>")
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	const kept = `(async () => JSON.stringify([
		document.cookie, localStorage.length, (await indexedDB.databases()).length, history.length < 3, innerWidth,
		matchMedia("(prefers-color-scheme: dark)").matches, navigator.language, typeof window.left,
	]))()`
	var tabs browsertest.Tabs
	var clean string
	var first string
	t.Run("first", func(t *testing.T) {
		ctx := tabs.Lend(t, browser)
		do(ctx, t, chromedp.Navigate(srv.URL))
		clean, first = ask(ctx, t, kept), id(ctx)
		do(ctx, t, chromedp.EmulateViewport(300, 500), emulate(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
		}), emulate(emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{UserAgent: "test", AcceptLanguage: "de-DE"}))
		do(ctx, t, chromedp.Navigate(srv.URL+"/other"), chromedp.Navigate(srv.URL+"/third"))
		ask(ctx, t, `(async () => {
			document.cookie = "who=first"
			localStorage.setItem("who", "first")
			window.left = window.open("/opened")
			await new Promise(done => { indexedDB.open("keys").onsuccess = done })
			return ""
		})()`)
		if now := ask(ctx, t, kept); now == clean {
			t.Fatalf("nothing was left: %s", now)
		}
		do(ctx, t, emulate(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}))
	})
	t.Run("second", func(t *testing.T) {
		ctx := tabs.Lend(t, browser)
		do(ctx, t, chromedp.Navigate(srv.URL))
		if id(ctx) != first {
			t.Error("the tab of the first is not used again")
		}
		if now := ask(ctx, t, kept); now != clean {
			t.Errorf("a tab that another test had shows %s, a new one %s", now, clean)
		}
		other := tabs.Lend(t, browser)
		do(other, t, chromedp.Navigate(srv.URL))
		if id(other) == first {
			t.Error("two have the same tab")
		}
	})
}

func id(ctx context.Context) string { return string(chromedp.FromContext(ctx).Target.TargetID) }

func do(ctx context.Context, t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

func ask(ctx context.Context, t *testing.T, js string) string {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[string](js, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func emulate[P any](command cdp.Command[P, cdp.Empty], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, command, params)
		return err
	})
}
