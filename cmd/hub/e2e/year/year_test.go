package year

import (
	"os"
	"strconv"
	"testing"
	"time"

	_ "gatehouse/agentd/seeded"
	"gatehouse/app/pricing"
)

// TestYear: tokens billed are tokens metered are tokens that providers answered, and money billed is money computed again, to the unit,
// whatever happens in a year. The short year is the same in every run; GATEHOUSE_SOAK has 200 customers live through a whole one, and
// YEAR_CUSTOMERS, YEAR_DAYS and YEAR_SEED any other.
func TestYear(t *testing.T) {
	t.Parallel()
	customers, days := number("YEAR_CUSTOMERS", 12), number("YEAR_DAYS", 64)
	if os.Getenv("GATEHOUSE_SOAK") != "" {
		customers, days = number("YEAR_CUSTOMERS", 200), number("YEAR_DAYS", 365)
	}
	begins := time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC)
	h := newHub(t, uint64(number("YEAR_SEED", 1)), begins)
	h.sells()
	for day := range days {
		for quarter := range 4 {
			from := begins.Add(time.Duration(day*24+quarter*6) * time.Hour)
			h.clock.set(from)
			h.staffWork(day, quarter)
			for range customers {
				if len(h.all) < customers && h.one(8) {
					h.clock.set(from.Add(time.Duration(h.rnd.IntN(5)) * time.Hour))
					h.welcome()
				}
			}
			h.clock.set(from.Add(5*time.Hour + 7*time.Minute))
			for _, c := range h.all {
				h.live(c, from, day)
			}
			h.clock.set(from.Add(6 * time.Hour)) // a full hour, at which hubs ask for events that were missed
			h.look()
		}
	}
	h.settle(begins.AddDate(0, 0, days))
	h.audit()
	if h.killed == 0 {
		t.Error("no hub was killed")
	}
}

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

type planValue struct {
	Name    string `json:"name"`
	Monthly int64  `json:"monthly"`
	Pool    int64  `json:"pool"`
}

type modelValue struct {
	Input      int64  `json:"input"`
	Output     int64  `json:"output"`
	CacheRead  int64  `json:"cache_read"`
	CacheWrite int64  `json:"cache_write"`
	Class      string `json:"class"`
}

// sells enters what a hub needs to bill anybody.
func (h *hub) sells() {
	h.price(pricing.KindSeller, "", map[string]any{
		"name": "Gatehouse Ltd", "address": "1 Street", "country": "AT", "vat_id": "ATU12345678", "due_days": 14,
	}, time.Time{})
	h.price(pricing.KindTax, "AT", map[string]any{"basis_points": 2000}, time.Time{})
	h.prices = prices{models: map[string][]modelPrice{}, plans: map[string][]planPrice{
		"lite": {{cents: 2900, pool: 8_000_000}}, "build": {{cents: 4500, pool: 15_000_000}}, "scale": {{cents: 7500, pool: 25_000_000}},
		"enterprise": {{cents: 10900, pool: 40_000_000}},
	}, weights: []weights{{t: tokens{1000, 1000, 100, 1000}, search: 2000, each: 1000}}}
	h.model("small", tokens{150_000, 600_000, 15_000, 187_500}, "included")
	h.model("mid", tokens{900_000, 2_100_000, 90_000, 1_000_003}, "included")
	h.model("large", tokens{3_000_000, 15_000_000, 300_000, 3_750_000}, "premium")
	h.rate(h.clock.Now().AddDate(0, 0, -1))
}

func (h *hub) model(name string, base tokens, class string) {
	h.price(pricing.KindModel, name, modelValue{base[0], base[1], base[2], base[3], class}, time.Time{})
	book, err := h.bills.Book(h.Context())
	h.must(err)
	e := book.Of(pricing.KindModel, name)[0]
	h.prices.models[name] = append(h.prices.models[name], modelPrice{e.ValidFrom, base, class == "premium"})
}

func (h *hub) rate(at time.Time) {
	day := at.Truncate(24 * time.Hour)
	micros := int64(880_000 + h.rnd.IntN(80_000))
	h.price(pricing.KindRate, "USD", micros, day)
	h.prices.rates = append(h.prices.rates, rate{day, h.clock.Now(), micros})
}

// within says whether a day is one of so many after the first, and again after each so many.
func within(day, first, long, every int) bool { return day >= first && (day-first)%every < long }

// staffWork is what staff and the world around do: rates of the day, other prices, a provider that is away for a day.
func (h *hub) staffWork(day, quarter int) {
	h.away = within(day, 33, 1, 97)
	h.stripe.Away(h.away)
	if wd := h.clock.Now().Weekday(); quarter == 3 && wd != time.Saturday && wd != time.Sunday && !within(day, 22, 13, 120) {
		h.rate(h.clock.Now())
	}
	if quarter != 1 {
		return
	}
	switch {
	case day == 34:
		h.model("new", tokens{2_000_000, 7_000_001, 1, 0}, "premium")
	case day%50 == 41:
		h.model("mid", tokens{int64(h.rnd.IntN(2_000_000)), int64(h.rnd.IntN(4_000_000)), 7, 1_000_003}, "included")
	case day%50 == 45:
		h.model("large", tokens{int64(h.rnd.IntN(9_000_000)), int64(h.rnd.IntN(30_000_000)), 333_333, 4}, "premium")
	case day%60 == 38:
		w := tokens{1000, int64(800 + h.rnd.IntN(900)), int64(50 + h.rnd.IntN(300)), 1000}
		h.price(pricing.KindWeights, "", map[string]int64{
			"input": w[0], "output": w[1], "cache_read": w[2], "cache_write": w[3], "search": 1500, "fetch": 700,
		}, time.Time{})
		book, err := h.bills.Book(h.Context())
		h.must(err)
		h.prices.weights = append(h.prices.weights, weights{book.Of(pricing.KindWeights, "")[0].ValidFrom, w, 1500, 700})
	case day%80 == 29:
		v := planValue{"Build", int64(4000 + h.rnd.IntN(2000)), 14_000_000}
		h.price(pricing.KindPlan, "build", v, time.Time{})
		book, err := h.bills.Book(h.Context())
		h.must(err)
		h.prices.plans["build"] = append(h.prices.plans["build"],
			planPrice{book.Of(pricing.KindPlan, "build")[0].ValidFrom, v.Monthly, v.Pool})
	}
}

// welcome adds a customer; one in four is a founding member.
func (h *hub) welcome() {
	if h.away {
		return
	}
	c := h.joins()
	switch h.rnd.IntN(4) {
	case 0:
		h.founding(c, 2, 9+h.rnd.IntN(3))
	case 1:
		h.chooses(c, true)
	}
}

// live is what happens to a customer in a quarter of a day.
func (h *hub) live(c *customer, from time.Time, day int) {
	models := []string{"small", "small", "small", "mid", "mid", "large"}
	if day >= 20 {
		models = append(models, "new") // which staff hear of later
	}
	if c.works() {
		h.answers(c, from, models)
	}
	h.reports(c)
	h.arrive(c)
	h.decides(c)
	h.banks(c)
}

// decides is what a customer or our staff decide about them.
func (h *hub) decides(c *customer) {
	now := h.clock.Now()
	if c.gone() {
		return
	}
	if !c.works() || c.ended(now) {
		if now.Sub(c.stint().until) > 9*24*time.Hour && h.one(20) {
			h.returns(c)
		}
		return
	}
	if now.Sub(c.stint().since) < 24*time.Hour {
		return
	}
	switch h.rnd.IntN(300) {
	case 0, 1, 2, 3:
		h.turns(c, []string{"lite", "build", "scale", "enterprise"}[h.rnd.IntN(4)])
		if h.one(3) {
			h.turns(c, []string{"lite", "build", "scale", "enterprise"}[h.rnd.IntN(4)])
		}
	case 4, 5:
		h.chooses(c, h.one(2))
	case 7, 8:
		h.grasps(c)
	case 9, 10:
		h.wavers(c)
	case 11, 12:
		h.cancels(c)
	case 13, 14, 15:
		h.moves(c)
	case 6:
		if h.one(2) {
			h.leaves(c)
		}
	}
}

// recovers has the customer use another card, with which the bank pays.
func (h *hub) recovers(c *customer) {
	c.failingUntil = time.Time{}
	h.stripe.Bank(c.payer, "")
	if c.byDebit {
		h.stripe.NewDebit(c.payer)
	} else {
		h.stripe.NewCard(c.payer)
	}
}

// banks is what becomes of a customer's card, and of invoices that our staff take back in part or as a whole.
func (h *hub) banks(c *customer) {
	now := h.clock.Now()
	h.banksDecide(c)
	if c.never {
		return
	}
	h.disputes(c)
	switch {
	case c.works() && c.ends.IsZero() && !c.lost && h.one(400):
		h.defaults(c)
	case !c.failingUntil.IsZero() && now.After(c.failingUntil):
		h.recovers(c)
	case c.failingUntil.IsZero() && h.one(200):
		c.failingUntil = now.AddDate(0, 0, 1+h.rnd.IntN(24))
		h.stripe.Bank(c.payer, []string{"insufficient_funds", "expired_card"}[h.rnd.IntN(2)])
	case h.one(100):
		h.credits(c)
	}
}
