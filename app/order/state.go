package order

// State is where an order stands.
type State string

// The states, in the order in which an order goes through them, then the two ways out.
const (
	PaymentConfirmed State = "PAYMENT_CONFIRMED"
	AwaitingServer   State = "AWAITING_SERVER"
	ServerReady      State = "SERVER_READY"
	DNSPending       State = "DNS_PENDING"
	DNSReady         State = "DNS_READY"
	Provisioning     State = "PROVISIONING"
	Fulfilled        State = "FULFILLED"
	Failed           State = "FAILED"
	Cancelled        State = "CANCELLED"
)

// path is the way of an order that meets no trouble.
var path = [...]State{PaymentConfirmed, AwaitingServer, ServerReady, DNSPending, DNSReady, Provisioning, Fulfilled}

// Path lists the states of an order that meets no trouble, first to last.
func Path() []State { return append([]State(nil), path[:]...) }

// States lists all states.
func States() []State { return append(Path(), Failed, Cancelled) }

// place is the number of s on the path, or -1.
func (s State) place() int {
	for i, p := range path {
		if p == s {
			return i
		}
	}
	return -1
}

// Live says whether an order in this state is on its way: a step of it is to be done.
func (s State) Live() bool { return s.place() >= 0 && s != Fulfilled }

// Next is the state after s on the path, empty when there is none.
func (s State) Next() State {
	if !s.Live() {
		return ""
	}
	return path[s.place()+1]
}

// Legal says whether an order may go from one state to another. An order that failed remembers the step at which it did
// and goes on from there or, when the server was not touched yet, may be cancelled; failedStep is ignored otherwise.
func Legal(from, failedStep, to State) bool {
	switch {
	case from == Failed && to == Cancelled:
		return cancellable(failedStep)
	case from == Failed:
		return failedStep.Live() && to == failedStep
	case !from.Live():
		return false
	case to == Failed:
		return true
	case to == Cancelled:
		return cancellable(from)
	}
	return to == from.Next()
}

// cancellable says whether an order at step may still be called off: before provisioning begins.
func cancellable(step State) bool {
	return step.Live() && step.place() < Provisioning.place()
}
