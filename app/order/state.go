package order

// State is where an order stands.
type State string

// The states, in the order in which an order goes through them, then the ways out.
const (
	PaymentConfirmed State = "PAYMENT_CONFIRMED"
	AwaitingServer   State = "AWAITING_SERVER"
	ServerReady      State = "SERVER_READY"
	DNSPending       State = "DNS_PENDING"
	DNSReady         State = "DNS_READY"
	Provisioning     State = "PROVISIONING"
	Fulfilled        State = "FULFILLED"
	Failed           State = "FAILED"
	Cancelled        State = "CANCELLED" // nothing of it is left
	Stopping         State = "STOPPING"  // stopped while it was set up: what was made is given back
	Ended            State = "ENDED"     // was fulfilled; its team rests, its server is kept until it is released
	Releasing        State = "RELEASING" // its server is given back
	Released         State = "RELEASED"  // its server is gone
)

// path is the way of an order that meets no trouble.
var path = [...]State{PaymentConfirmed, AwaitingServer, ServerReady, DNSPending, DNSReady, Provisioning, Fulfilled}

// Path lists the states of an order that meets no trouble, first to last.
func Path() []State { return append([]State(nil), path[:]...) }

// States lists all states.
func States() []State {
	return append(Path(), Failed, Cancelled, Stopping, Ended, Releasing, Released)
}

// place is the number of s on the path, or -1.
func (s State) place() int {
	for i, p := range path {
		if p == s {
			return i
		}
	}
	return -1
}

// OnPath says whether an order in this state is on its way to its server.
func (s State) OnPath() bool { return s.place() >= 0 && s != Fulfilled }

// GivesBack says whether the step of this state gives back what was made for an order.
func (s State) GivesBack() bool { return s == Stopping || s == Releasing }

// Live says whether a step of an order in this state is to be done.
func (s State) Live() bool { return s.OnPath() || s.GivesBack() }

// Over says whether nothing comes after this state: the customer may order again.
func (s State) Over() bool { return s == Cancelled || s == Released }

// Next is the state after the step of s is done, empty when s has no step.
func (s State) Next() State {
	switch {
	case s == Stopping:
		return Cancelled
	case s == Releasing:
		return Released
	case s.OnPath():
		return path[s.place()+1]
	}
	return ""
}

// Legal says whether an order may go from one state to another. An order that failed remembers the step at which it did
// and goes on from there, or is called off; failedStep is ignored otherwise.
func Legal(from, failedStep, to State) bool {
	if from == Failed {
		return failedStep.Live() && to == failedStep || calledOff(failedStep) == to && to != ""
	}
	switch to {
	case Failed:
		return from.Live()
	case Stopping:
		return calledOff(from) == Stopping
	case Cancelled:
		return calledOff(from) == Cancelled || from == Stopping
	case Ended:
		return from == Fulfilled
	case Releasing:
		return from == Ended
	case Fulfilled:
		return from == Provisioning || from == Ended
	}
	return from.Live() && to == from.Next()
}

// calledOff is where an order at step goes when it is called off: before its machine is touched it is simply over, later its
// set-up is stopped first. Empty when it cannot be called off.
func calledOff(step State) State {
	switch {
	case step == Provisioning:
		return Stopping
	case step.OnPath():
		return Cancelled
	}
	return ""
}
