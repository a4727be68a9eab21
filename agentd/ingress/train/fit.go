package main

import (
	"math"

	"gatehouse/agentd/ingress"
)

// rounds is how often the fit goes over all examples.
const rounds = 10

// What a mistake weighs, by where the text comes from: found by leaving out one of the corpora that were written apart.
const (
	costMade  = 0.05 // by a grammar
	costNear  = 5.0  // by hand, by those who knew what is looked for
	costApart = 15.0 // by hand, by those who did not: what is to come is most like these
)

// example is one window.
type example struct {
	cues   []uint32
	attack bool
	cost   float64
	alpha  float64
}

// fit learns in two goes: an attack counts as a whole at first, then also by the window that looks most like one.
func fit(all []text) *ingress.Model {
	var examples []*example
	for _, t := range all {
		examples = append(examples, t.examples()...)
	}
	m := quantised(descend(examples))
	for _, t := range all {
		if t.attack && len(t.windows) > 1 {
			examples = append(examples, &example{cues: likeliest(m, t.windows), attack: true, cost: t.cost})
		}
	}
	for _, e := range examples {
		e.alpha = 0
	}
	return quantised(descend(examples))
}

// examples gives the whole of an attack, and every window of what is none.
func (t text) examples() (out []*example) {
	if t.attack {
		return []*example{{cues: t.whole, attack: true, cost: t.cost}}
	}
	for _, w := range t.windows {
		out = append(out, &example{cues: w, cost: t.cost})
	}
	return out
}

func likeliest(m *ingress.Model, windows [][]uint32) (best []uint32) {
	top := math.Inf(-1)
	for _, w := range windows {
		if s := m.Score(w); s > top {
			top, best = s, w
		}
	}
	return best
}

// weights are those of a linear model; the last is its bias.
type weights []float64

// descend minimises the squared hinge loss with an L2 penalty by dual coordinate descent. Products are rounded one
// by one, so that machines that fuse them come to the same result.
func descend(examples []*example) weights {
	w := make(weights, len(ingress.Model{}.Weights)+1)
	r := random(1)
	for range rounds {
		for _, i := range r.order(len(examples)) {
			step(w, examples[i])
		}
	}
	return w
}

func step(w weights, e *example) {
	if len(e.cues) == 0 {
		return
	}
	y := -1.0
	if e.attack {
		y = 1
	}
	unit := ingress.Unit(len(e.cues))
	ridge := 0.5 / e.cost
	slope := float64(y*w.score(e.cues, unit)) - 1 + float64(e.alpha*ridge)
	next := max(e.alpha-float64(slope/(float64(float64(len(e.cues))*float64(unit*unit))+1+ridge)), 0)
	change := float64(float64(next-e.alpha) * y)
	e.alpha = next
	for _, c := range e.cues {
		w[c] += float64(change * unit)
	}
	w[len(w)-1] += change
}

func (w weights) score(cues []uint32, unit float64) float64 {
	sum := 0.0
	for _, c := range cues {
		sum += w[c]
	}
	return float64(sum*unit) + w[len(w)-1]
}

// quantised brings weights to one byte each.
func quantised(w weights) *ingress.Model {
	top := 0.0
	for _, x := range w[:len(w)-1] {
		top = max(top, math.Abs(x))
	}
	m := &ingress.Model{Scale: float32(top / 127), Bias: float32(w[len(w)-1])}
	for i, x := range w[:len(w)-1] {
		m.Weights[i] = int8(math.Round(x / top * 127))
	}
	return m
}
