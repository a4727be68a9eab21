package browsertest

import (
	"context"
	"errors"
	"net/url"
	"sync"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
)

// Tabs lends the tabs of one browser to tests, one after the other: a new one costs a second of processor time, an emptied one a
// tenth of that. Its zero value is ready.
type Tabs struct {
	mu   sync.Mutex
	free []tab
}

// tab is one, with cookies and a store of its own.
type tab struct {
	ctx   context.Context
	close context.CancelFunc
}

// emptyLimit is how long emptying a tab may take. One that takes longer is closed.
const emptyLimit = 20 * time.Second

// Lend gives the test a tab that shares nothing with any other, and takes it back when the test has ended: then it is emptied of
// pages, cookies, stores, scripts and whatever was emulated, or closed where that fails. Who changes what is not named here, such
// as by AddScriptToEvaluateOnNewDocument, opens a tab of its own.
func (s *Tabs) Lend(t testing.TB, browser context.Context) context.Context {
	t.Helper()
	lent, err := s.take(browser)
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(lent.ctx)
	t.Cleanup(func() {
		end()
		if t.Failed() || !lent.empty() {
			lent.close()
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.free = append(s.free, lent)
	})
	return ctx
}

// take gives a tab that is free, or a new one. The first call makes it, with a context that outlives the test.
func (s *Tabs) take(browser context.Context) (tab, error) {
	if last, ok := s.pop(); ok {
		return last, nil
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	return tab{ctx, cancel}, chromedp.Do(ctx)
}

func (s *Tabs) pop() (tab, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.free)
	if n == 0 {
		return tab{}, false
	}
	last := s.free[n-1]
	s.free = s.free[:n-1]
	return last, true
}

// empty makes the tab as new, and says whether it is.
func (b tab) empty() bool {
	ctx, cancel := context.WithTimeout(b.ctx, emptyLimit)
	defer cancel()
	c := chromedp.FromContext(b.ctx)
	var seen map[string]bool
	leave := func(ctx context.Context, t *chromedp.Target) (err error) {
		if seen, err = origins(ctx, t); err == nil {
			err = closeOthers(ctx, c)
		}
		return errors.Join(err, call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{}))
	}
	clean := func(ctx context.Context, t *chromedp.Target) error { return reset(ctx, t, c, seen) }
	return chromedp.Do(ctx, chromedp.Func(leave), chromedp.Navigate("about:blank"), chromedp.Func(clean)) == nil
}

// reset undoes what a page does to its browser, and what a test does to a page.
func reset(ctx context.Context, t *chromedp.Target, c *chromedp.Context, seen map[string]bool) error {
	errs := []error{
		call(ctx, t, page.ResetNavigationHistory, cdp.Empty{}),
		call(ctx, t, storage.ClearCookies, storage.ClearCookiesParams{}),
		call(ctx, t, cdpbrowser.ResetPermissions, cdpbrowser.ResetPermissionsParams{BrowserContextID: c.BrowserContextID}),
		call(ctx, t, webauthn.Disable, cdp.Empty{}),
		call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}),
		call(ctx, t, emulation.SetUserAgentOverride, emulation.SetUserAgentOverrideParams{}),
		call(ctx, t, emulation.ClearDeviceMetricsOverride, cdp.Empty{}),
		call(ctx, t, runtime.DiscardConsoleEntries, cdp.Empty{}),
		call(ctx, t, log.Clear, cdp.Empty{}),
	}
	for origin := range seen {
		errs = append(errs, call(ctx, t, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: origin, StorageTypes: "all"}))
	}
	return errors.Join(errs...)
}

// call is a command that answers nothing.
func call[P any](ctx context.Context, t *chromedp.Target, command cdp.Command[P, cdp.Empty], params P) error {
	_, err := cdp.Call(ctx, t, command, params)
	return err
}

// closeOthers closes what was opened from this tab.
func closeOthers(ctx context.Context, c *chromedp.Context) error {
	all, err := chromedp.CallBrowser(ctx, target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		return err
	}
	for _, other := range all.TargetInfos {
		if other.Type != "page" || other.BrowserContextID != c.BrowserContextID || other.TargetID == c.Target.TargetID {
			continue
		}
		if _, err := chromedp.CallBrowser(ctx, target.CloseTarget, target.CloseTargetParams{TargetID: other.TargetID}); err != nil {
			return err
		}
	}
	return nil
}

// origins are those of the pages that the tab has shown.
func origins(ctx context.Context, t *chromedp.Target) (map[string]bool, error) {
	shown, err := cdp.Call(ctx, t, page.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	all := map[string]bool{}
	for _, e := range shown.Entries {
		if u, err := url.Parse(e.URL); err == nil && u.Host != "" {
			all[u.Scheme+"://"+u.Host] = true
		}
	}
	return all, nil
}
