package llm

import (
	"fmt"
	"time"
)

// Kind is a class of failures that the runtime treats alike.
type Kind string

// The kinds.
const (
	Auth        Kind = "auth"         // the endpoint does not accept our key
	Rate        Kind = "rate"         // too many requests, or the account has run dry
	Context     Kind = "context"      // the conversation is longer than the model can read
	Rejected    Kind = "rejected"     // the endpoint understood the request and does not want it: a wrong model name
	BadResponse Kind = "bad_response" // the answer is not what the protocol says
	Unavailable Kind = "unavailable"  // the endpoint cannot be reached or has a fault
	Timeout     Kind = "timeout"      // nothing came in time
	Away        Kind = "away"         // this server's own way to models is down: a Waiter can say when it is back
	Budget      Kind = "budget"       // what the team may use is used up: the call was not sent
)

// BudgetCode is the code of a refusal by the model proxy for Budget.
const BudgetCode = "budget_used_up"

// Error is why a model gave no whole answer.
type Error struct {
	Kind       Kind
	Status     int           // HTTP status, 0 when there was none
	Detail     string        // for people: what the endpoint said or did, in one line, without contents of the conversation
	RetryAfter time.Duration // when the endpoint named one
	Err        error         // cause, for logs
}

func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("model %s: %s: %v", e.Kind, e.Detail, e.Err)
	}
	return fmt.Sprintf("model %s: %s", e.Kind, e.Detail)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// Words say for people what happened and what helps.
func (e *Error) Words() (what, help string) {
	switch e.Kind {
	case Auth:
		return "The model's endpoint did not accept the key.", "Check the key in model.key (MODEL_API_KEY), then send the message again."
	case Rate:
		return "The model's endpoint takes no more requests for now.", "Wait " + e.wait() + " and send the message again, or check the account's limits."
	case Context:
		return "The conversation has become longer than the model can read.", "Start afresh with /new; the old conversation stays readable."
	case Rejected:
		return "The model's endpoint refused the request.", "Check MODEL_NAME and MODEL_BASE_URL, then send the message again."
	case BadResponse:
		return "The model's endpoint sent something that is not an answer.", "Send the message again; if it stays so, check that MODEL_BASE_URL is an OpenAI-compatible endpoint."
	case Budget:
		return "The team is paused, because its budget is used up.",
			"It works again when the budget begins anew, or when the owner raises it under Team, Limits. Then send the message again."
	case Away:
		return "The server's way to its models is down.", "It comes back by itself; if it stays so, the server's log says why."
	case Timeout:
		return "The model did not answer in time.", "Send the message again; if it stays so, check the endpoint's load."
	}
	return "The model cannot be reached.", "Check that the endpoint runs and MODEL_BASE_URL is right, then send the message again."
}

func (e *Error) wait() string {
	if e.RetryAfter > 0 {
		return e.RetryAfter.Round(time.Second).String()
	}
	return "a minute"
}
