package admin_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"gatehouse/app/order"
)

var lists = []string{"/admin/orders", "/admin/servers", "/admin/customers"}

func TestLists_audience(t *testing.T) {
	t.Parallel()
	h := start(t)
	for _, path := range append(lists, "/admin") {
		for who, secret := range map[string]string{"nobody": "", "a customer": h.guest} {
			if status, text := h.get(t, secret, path); status == http.StatusOK || strings.Contains(text, "Somebody Else") {
				t.Errorf("%s for %s: %d", path, who, status)
			}
		}
		holds(t, path, h.page(t, path), []string{"<title>"}, nil)
	}
}

// TestOrder_tellsWhatWasChosen: staff see what the checkout says that they see.
func TestOrder_tellsWhatWasChosen(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Some Bakery", "someone@example.com", "some", order.PaymentConfirmed)
	holds(t, "order", h.page(t, "/admin/orders/"+string(o.ID)), []string{"European Union", "Bakery, café, restaurant"}, nil)
}

// TestLists_search: every list is found by each of what people know of a customer, and by nothing else.
func TestLists_search(t *testing.T) {
	t.Parallel()
	h := start(t)
	o := h.add(t, "Ümlaut & Söhne 100%", "boss_one@example.com", "soehne", order.PaymentConfirmed)
	h.add(t, "Other Business", "bossXone@example.com", "other", order.PaymentConfirmed)
	for _, path := range lists {
		for _, q := range []string{"ümlaut & s", "Söhne", "100%", "boss_one", "BOSS_ONE@EXAMPLE.COM", "soehne", " soehne ", string(o.CustomerID)} {
			if path != "/admin/customers" && q == string(o.CustomerID) {
				continue // orders and servers have ids of their own
			}
			text := h.page(t, path+"?q="+url.QueryEscape(q))
			holds(t, path+" for "+q, text, []string{"Ümlaut &amp; Söhne 100%", `value="` + html.EscapeString(strings.TrimSpace(q)) + `"`}, []string{"Other Business", "Somebody Else"})
		}
		for _, q := range []string{"%", "_", `\`, "nobody of that name", "' OR true --"} {
			want := []string{"Nothing matches", `href="` + path + `"`}
			if q == "%" || q == "_" {
				want = nil // one of them has it in its name
			}
			holds(t, path+" for "+q, h.page(t, path+"?q="+url.QueryEscape(q)), want, []string{"Other Business", "Somebody Else"})
		}
	}
	holds(t, "order by id", h.page(t, "/admin/orders?q="+string(o.ID)), []string{"Ümlaut"}, []string{"Other Business"})
	holds(t, "order by number", h.page(t, fmt.Sprintf("/admin/orders?q=%d", o.Number)), []string{"Ümlaut"}, []string{"Other Business"})
}

func TestLists_wrongAddress(t *testing.T) {
	t.Parallel()
	h := start(t)
	for _, path := range lists {
		for _, q := range []string{"q=" + strings.Repeat("x", 101), "q=%00", "q=%ff", "after=x", "limit=0x", "limit=1000"} {
			if status, _ := h.get(t, h.staff, path+"?"+q); status != http.StatusUnprocessableEntity {
				t.Errorf("%s?%s: %d", path, q, status)
			}
		}
	}
}

var nextLink = regexp.MustCompile(`rel="next" href="([^"]+)"`)

// TestLists_pages turns over a narrowed list: what narrows it stays in the addresses, and each row comes once.
func TestLists_pages(t *testing.T) {
	t.Parallel()
	h := start(t)
	for i := range 7 {
		state := order.PaymentConfirmed
		if i%2 == 1 {
			state = order.Cancelled
		}
		h.add(t, fmt.Sprintf("Shop %d", i), fmt.Sprintf("shop%d@example.com", i), fmt.Sprintf("shop-%d", i), state)
	}
	for path, want := range map[string]int{
		"/admin/orders?limit=2&q=shop": 7, "/admin/orders?limit=2&q=shop&state=CANCELLED": 3, "/admin/servers?limit=2&q=shop": 7,
		"/admin/customers?limit=2&q=shop": 7, "/admin/customers?limit=3": 8,
	} {
		seen := h.turn(t, path, 2)
		if len(seen) != want {
			t.Errorf("%s shows %d customers, want %d: %v", path, len(seen), want, seen)
		}
		for name, n := range seen {
			if n != 1 {
				t.Errorf("%s shows %s %d times", path, name, n)
			}
		}
	}
}

var shopName = regexp.MustCompile(`>(Shop \d|Somebody Else)<`)

// turn reads a list to its end and counts the names on it.
func (h *hub) turn(t *testing.T, path string, least int) map[string]int {
	t.Helper()
	seen, pages := map[string]int{}, 0
	for narrowed, _ := url.Parse(path); path != ""; pages++ {
		text := h.page(t, path)
		for _, m := range shopName.FindAllStringSubmatch(text, -1) {
			seen[m[1]]++
		}
		path = ""
		if m := nextLink.FindStringSubmatch(text); m != nil {
			path = html.UnescapeString(m[1])
			next, err := url.Parse(path)
			must(t, err)
			for k, v := range narrowed.Query() {
				if next.Query().Get(k) != v[0] {
					t.Fatalf("the next page forgets %s: %s", k, path)
				}
			}
		}
	}
	if pages < least {
		t.Fatalf("%d pages", pages)
	}
	return seen
}

func TestLists_empty(t *testing.T) {
	t.Parallel()
	h := start(t)
	holds(t, "no order in a state", h.page(t, "/admin/orders?state=FAILED"), []string{"Nothing matches", `<option value="FAILED" selected>`}, []string{"No orders yet"})
	holds(t, "a state there is not", h.page(t, "/admin/orders?state=x"), []string{"Nothing matches"}, []string{"No orders yet"})
	_, err := h.db.Pool.Exec(t.Context(), "DELETE FROM servers")
	must(t, err)
	holds(t, "no server at all", h.page(t, "/admin/servers"), []string{"No servers yet"}, []string{"Nothing matches"})
}

// TestLists_partial: what is typed replaces the results alone, and a push leaves narrowed results be.
func TestLists_partial(t *testing.T) {
	t.Parallel()
	h := start(t)
	for _, path := range lists {
		id := strings.TrimPrefix(path, "/admin/") + "-results"
		narrowed := h.page(t, path+"?q=guest", "HX-Request-Type", "partial")
		holds(t, path, narrowed, []string{`id="` + id + `" data-part`, "Somebody Else"}, []string{"<html", "<form"})
		holds(t, path+" whole", h.page(t, path, "HX-Request-Type", "partial"), []string{`id="` + id + `"`, "Somebody Else"}, []string{"data-part"})
	}
}

// TestLists_queries: a list takes as many queries for fifty rows as for one.
func TestLists_queries(t *testing.T) {
	t.Parallel()
	h := start(t)
	count := func(path string) int64 {
		before := h.queries.n.Load()
		h.page(t, path)
		return h.queries.n.Load() - before
	}
	few := map[string]int64{}
	for _, path := range append(lists, "/admin") {
		h.page(t, path) // what is remembered of the sign-in is remembered now
		few[path] = count(path)
	}
	for i := range 50 {
		h.add(t, fmt.Sprintf("Shop %d", i), fmt.Sprintf("shop%d@example.com", i), fmt.Sprintf("shop-%d", i), order.PaymentConfirmed)
	}
	for path, n := range few {
		if got := count(path); got != n || path != "/admin" && got > 2 {
			t.Errorf("%s takes %d queries for 51 customers, %d for one", path, got, n)
		}
	}
}
