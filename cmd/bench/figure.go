package main

import "context"

// Figure is one number that is promised.
type Figure struct {
	Name  string
	Unit  string
	Goal  float64
	More  bool   // more is better
	Once  bool   // taken once, for what it needs takes long to set up
	Fsync bool   // waits for durable writes: taken again in memory, as a control
	How   string // how it was taken, for its line
	Take  func(context.Context, *Stage) (Run, error)

	Control *Control // something simpler that is taken by turns with the figure; nil: none
}

// Control is what a bare program does in place of Gatehouse, on the same machine at the same time. Other load weighs on
// both, so their ratio says more than either.
type Control struct {
	How  string  // what it is, for its line
	Goal float64 // of the ratio of the figure to the control: at least when more is better, else at most. 0: none
	Take func(context.Context, *Stage) (Run, error)
}

// Run is one taking of a figure.
type Run struct {
	Value float64
	N     int    // samples behind Value
	Note  string // what else was seen
}

// Result is a figure as bench.json has it.
type Result struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	Goal  float64 `json:"goal"`
	N     int     `json:"n"`

	Control float64 `json:"control,omitempty"` // what a bare program did meanwhile
	Ratio   float64 `json:"ratio,omitempty"`   // Value to Control
}

// met says whether the goal is reached.
func (f Figure) met(v float64) bool {
	if f.More {
		return v >= f.Goal
	}
	return v <= f.Goal
}

// ratioMet says whether a ratio to the control is good enough.
func (f Figure) ratioMet(ratio float64) bool {
	return f.Control.Goal == 0 || f.More && ratio >= f.Control.Goal || !f.More && ratio <= f.Control.Goal
}

// faster says whether v is better than w.
func (f Figure) faster(v, w float64) bool {
	if f.More {
		return v > w
	}
	return v < w
}

// figures are all of them. Memory comes first, before other figures have made the processes grow.
func figures() []Figure {
	return []Figure{
		agentdReady(), agentdIdle(),
		relayP50(), relayP99(), chatAck(), ttft(), approveToStart(), jobPickup(),
		proxyTTFT(), failoverAdded(), reserveSettle(),
		turns(), fiftySessions(), classifyShell(), channelInbound(),
		gateDecision(), receiptsPerSecond(), scheduleTicks(), memorySearch(), meantSearch(), memoryLag(),
		portalP95(), portalRPS(),
		thousandLinks(), heartbeats(), usageReports(),
		orderList(), ordersDry(), logLines(), closePeriods(), usagePage(),
		redactTurnP50(), redactTurnP99(), redactRegistry(), redactFull(),
	}
}
