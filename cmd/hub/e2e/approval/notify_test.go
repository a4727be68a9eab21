package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"gatehouse/agentd/wire"
	"gatehouse/app/push/pushtest"
	"gatehouse/cmd/hub/e2e"
)

// TestNotifications: an owner turns notifications on, a request reaches the browser's service worker without its contents and
// opens the card, and is taken away there when it is answered elsewhere. Without a way to the hub the app says so, and keeps
// nothing but what it needs for that. The way from the push service to the browser is ours: the message is the one that the
// service took, and the browser's own service worker gets it. The shell of a browser has no notifications and no badges: what
// it is asked to show is noted.
func TestNotifications(t *testing.T) {
	service := pushtest.Start(t, time.Now)
	h, c := e2e.Start(t, "PUSH_LOCAL=1")
	p := h.NewPageAlone(t)
	p.SignIn()
	p.Open("/app/settings/notifications")
	p.Until("what this device can do", `document.querySelector("[data-push-when=blocked]:not([hidden])")`)
	sub := subscribesAt(p, service)
	h.Plant("the address of a device", sub.Endpoint)
	h.Plant("the secret of a device", sub.Auth)
	p.Open("/app/settings/notifications")
	p.Until("the form", `document.querySelector("form[data-push-on]:not([hidden]) [name=name]").value`)
	p.Shots("notifications-off")
	p.Write("form[data-push-on] [name=name]", "Phone")
	p.Leave("form[data-push-on] button")
	p.Until("this device in the list", `document.querySelector("[data-device] [data-own]:not([hidden])")`)
	p.Shots("notifications-on")
	w := workerOf(p)

	asked := c.Asked(c.Say("it-admin", "Delete the old temporary files."))
	want := []notification{{Title: "Demo Bakery", Body: "1 request needs your approval.", Tag: "waiting", Renotify: true}}
	w.wantShown("a request", deliver(p, service.Next(t)), want)
	c.Decide(asked.ID, wire.Deny)
	w.wantShown("an answer", deliver(p, service.Next(t)), nil)
	asked = c.Asked(c.Say("secretary", "Email someone@example.com that we open at ten"))
	want = []notification{{Title: "Demo Bakery", Body: "1 request needs your approval.", Tag: "waiting", Silent: true}}
	w.wantShown("another request soon after", deliver(p, service.Next(t)), want)
	w.wantOpens("/app/approvals/" + asked.ID)

	p.Click("[data-device] button[value=test]")
	want = []notification{{Title: "Demo Bakery", Body: "Notifications work on this device.", Tag: "test", Renotify: true}}
	w.wantShown("a test", deliver(p, service.Next(t)), want)
	p.Until("the next page", `document.querySelector(".toast") && document.querySelector("[data-device] [data-own]:not([hidden])")`)
	p.Leave("[data-device] form[data-push-off] button")
	p.Until("the form again", `document.querySelector("form[data-push-on]:not([hidden])") && !localStorage.getItem("subscribed")`)
	offline(p)
}

// subscribesAt has the browser subscribe at a push service of ours: it knows none that it could reach.
func subscribesAt(p *e2e.Page, service *pushtest.Service) *pushtest.Browser {
	p.T.Helper()
	sub := service.Subscribe(e2e.Eval[string](p, `document.querySelector("form[data-push-on]").dataset.key`))
	script := fmt.Sprintf(`(() => {
		const sub = { toJSON: () => JSON.parse(%s), unsubscribe: async () => { localStorage.removeItem("subscribed"); return true } }
		Object.defineProperty(Notification, "permission", { get: () => "default" })
		Notification.requestPermission = async () => "granted"
		PushManager.prototype.getSubscription = async () => localStorage.getItem("subscribed") ? sub : null
		PushManager.prototype.subscribe = async options => { localStorage.setItem("subscribed", options.applicationServerKey); return sub }
	})()`, e2e.Quote(sub.JSON()))
	p.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
		return err
	}))
	return sub
}

// deliver gives a message to the service worker, as the browser does when its push service brings one, and gives it back.
func deliver(p *e2e.Page, m pushtest.Message) pushtest.Message {
	p.T.Helper()
	p.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		events := chromedp.Events(ctx, serviceworker.WorkerRegistrationUpdated)
		if _, err := cdp.Call(ctx, t, serviceworker.Enable, cdp.Empty{}); err != nil {
			return err
		}
		for e, err := range events {
			if err != nil {
				return err
			}
			i := slices.IndexFunc(e.Registrations, func(r *serviceworker.Registration) bool { return r.ScopeURL == p.Hub.URL("/app") })
			if i < 0 {
				continue
			}
			_, err := cdp.Call(ctx, t, serviceworker.DeliverPushMessage, serviceworker.DeliverPushMessageParams{
				Origin: p.Hub.URL("/"), RegistrationID: e.Registrations[i].RegistrationID, Data: string(m.Body),
			})
			return errors.Join(err, disable(ctx, t))
		}
		return ctx.Err()
	}))
	return m
}

// disable lets the next one that asks hear of the registrations again.
func disable(ctx context.Context, t *chromedp.Target) error {
	_, err := cdp.Call(ctx, t, serviceworker.Disable, cdp.Empty{})
	return err
}

// worker is the service worker of the portal in a page's browser.
type worker struct{ *e2e.Page }

// workerOf finds the service worker, and has it note what the browser would show and open.
func workerOf(p *e2e.Page) worker {
	p.T.Helper()
	of := chromedp.FromContext(p.Ctx).BrowserContextID
	var found *target.Info
	e2e.Until(p.T, "a service worker", func() bool {
		all, err := chromedp.Targets(p.Ctx)
		if err != nil {
			p.T.Fatal(err)
		}
		i := slices.IndexFunc(all, func(i *target.Info) bool { return i.BrowserContextID == of && i.URL == p.Hub.URL("/sw.js") })
		if i >= 0 {
			found = all[i]
		}
		return i >= 0
	})
	ctx, cancel := chromedp.NewContext(p.Ctx, chromedp.WithTargetID(found.TargetID))
	p.T.Cleanup(cancel)
	w := worker{&e2e.Page{T: p.T, Ctx: ctx, Hub: p.Hub}}
	e2e.Eval[bool](w.Page, `{
		self.shown = new Map()
		self.opened = []
		ServiceWorkerRegistration.prototype.showNotification = async (title, of) => {
			if (of.silent && of.renotify) throw new TypeError("silent and not")
			shown.set(of.tag, { title, ...of, close: () => shown.delete(of.tag) })
		}
		ServiceWorkerRegistration.prototype.getNotifications = async ({ tag }) => [...shown.values()].filter(one => one.tag === tag)
		WorkerNavigator.prototype.setAppBadge = async number => { self.badge = number }
		Clients.prototype.openWindow = async href => { opened.push(href) }
		true
	}`)
	return w
}

// notification is what a browser shows.
type notification struct {
	Title, Body, Tag string
	Silent, Renotify bool
}

// wantShown waits until the browser shows exactly that.
func (w worker) wantShown(after string, m pushtest.Message, want []notification) {
	w.T.Helper()
	var all []notification
	e2e.Until(w.T, fmt.Sprintf("after %s, %+v for %s", after, want, m.Body), func() bool {
		all = nil
		if err := json.Unmarshal([]byte(e2e.Eval[string](w.Page, `JSON.stringify([...shown.values()])`)), &all); err != nil {
			w.T.Fatal(err)
		}
		return slices.Equal(all, want)
	})
}

// wantOpens presses the notification about requests, which goes away and opens the page at that path.
func (w worker) wantOpens(path string) {
	w.T.Helper()
	e2e.Eval[bool](w.Page, `{
		const press = { notification: shown.get("waiting"), waitUntil: () => {} }
		dispatchEvent(Object.assign(new Event("notificationclick"), press))
	}`)
	e2e.Until(w.T, "the page of the request", func() bool {
		return e2e.Eval[string](w.Page, `JSON.stringify([opened, shown.size])`) == fmt.Sprintf(`[[%q],0]`, w.Hub.URL(path))
	})
}

// offline takes the hub away: the app says so, and has kept nothing else.
func offline(p *e2e.Page) {
	p.T.Helper()
	p.Open("/app/activity")
	p.Hub.Stop(p.T)
	p.Load("/app/approvals")
	p.See("h1", "Gatehouse cannot be reached")
	p.Shots("offline")
	e2e.Eval[bool](p, `(async () => {
		const of = async name => (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)
		const all = (await Promise.all((await caches.keys()).map(of))).flat()
		window.kept = all.map(path => path.replace(/\.[\w-]{12}\./, ".")).sort().join(" ")
	})() instanceof Promise`)
	p.Until("what the browser keeps", `window.kept`)
	kept := e2e.Eval[string](p, `window.kept`)
	if kept != "/assets/app.css /assets/app.js /assets/favicon.svg /assets/private.js /assets/sprite.svg /offline" {
		p.T.Errorf("the browser keeps %s", kept)
	}
}
