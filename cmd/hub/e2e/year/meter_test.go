package year

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"gatehouse/agentd/wire"
)

// works has the team of a customer work for some hours before now: providers answer, and the meter counts.
func (h *hub) answers(c *customer, from time.Time, models []string) {
	pool, _ := lastFrom(h.prices.plans[c.plans[len(c.plans)-1].plan], h.clock.Now(), func(p planPrice) time.Time { return p.from })
	for range h.rnd.IntN(3) {
		hour := from.Add(time.Duration(h.rnd.IntN(6)) * time.Hour)
		if hour.Before(c.stint().since) {
			continue
		}
		b := &cell{hour: hour.Add(c.ahead).Truncate(time.Hour), agent: "secretary", model: models[h.rnd.IntN(len(models))], key: "house"}
		switch h.rnd.IntN(12) {
		case 0:
			b.key = "own"
		case 1:
			b.key = "local"
		case 2, 3:
			b.agent, b.parent = "helper", "secretary"
		case 4, 5, 6:
			b.agent = "bookkeeper"
		}
		id := fmt.Sprint(b.hour.Unix(), b.agent, b.parent, b.model, b.key)
		if c.cells[id] == nil {
			c.cells[id] = b
		}
		h.count(c, c.cells[id], int64(float64(pool.pool)*c.appetite/120))
		c.changed[id] = true
	}
}

// count is what one run of the team comes to, of so many tokens on average. A tokenizer estimates what an answer does not say.
func (h *hub) count(c *customer, b *cell, mean int64) {
	n := int64(h.rnd.ExpFloat64()*float64(mean)) + 1
	if h.one(20) {
		n /= 50
	}
	got := tokens{n * 5 / 10, n * 2 / 10, n * 2, n / 10}
	for i := range got {
		b.t[i] += got[i]
	}
	b.requests += 1 + n/4000
	b.searches += int64(h.rnd.IntN(4))
	b.fetches += int64(h.rnd.IntN(3))
	if h.one(10) {
		b.estimated++
		b.estIn += got[0]
		b.estOut += got[1]
		if b.key == "house" {
			c.estimated += got[0] + got[1]
		}
	}
	if b.key == "house" {
		c.answered += got.sum()
	}
	c.rev++
	b.revision = c.rev
}

func (b *cell) row() wire.UsageRow {
	return wire.UsageRow{
		Epoch: "one", Hour: b.hour, Agent: b.agent, Parent: b.parent, Model: b.model, Profile: "main", Key: b.key, Revision: b.revision,
		UsageCounts: wire.UsageCounts{
			Requests: b.requests, Estimated: b.estimated, Input: b.t[0], Output: b.t[1], CacheRead: b.t[2], CacheWrite: b.t[3],
			EstInput: b.estIn, EstOutput: b.estOut, Searches: b.searches, Fetches: b.fetches,
		},
	}
}

// reports sends what has changed on its way: mostly it is there at once, sometimes hours, days or two months later, sometimes again.
func (h *hub) reports(c *customer) {
	if len(c.changed) == 0 || h.one(4) {
		return
	}
	var rows []wire.UsageRow
	for _, id := range slices.Sorted(maps.Keys(c.changed)) {
		rows = append(rows, c.cells[id].row())
	}
	clear(c.changed)
	h.send(c, rows)
	c.sent = append(c.sent, rows)
	if h.one(6) {
		h.send(c, c.sent[h.rnd.IntN(len(c.sent))])
	}
}

func (h *hub) send(c *customer, rows []wire.UsageRow) {
	longest := []time.Duration{0, 0, 0, 0, 0, 0, 5 * time.Hour, 30 * time.Hour, 10 * 24 * time.Hour, 60 * 24 * time.Hour}[h.rnd.IntN(10)]
	if longest == 60*24*time.Hour && !h.one(4) {
		longest = 0
	}
	at := h.clock.Now()
	if longest > 0 {
		at = at.Add(time.Duration(h.rnd.Int64N(int64(longest))))
	}
	c.letters = append(c.letters, letter{at, rows})
}
