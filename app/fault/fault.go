package fault

import "errors"

// Kind is a class of errors that edges treat alike.
type Kind string

// The kinds, and the HTTP status that the web edge gives them.
const (
	Invalid      Kind = "invalid"      // 422: what was sent does not fit; Fields says where
	Malformed    Kind = "malformed"    // 400: what was sent cannot be read at all
	NotFound     Kind = "not_found"    // 404: not there, or not yours
	Unauthorized Kind = "unauthorized" // 401: sign in first
	Forbidden    Kind = "forbidden"    // 403: signed in, but not allowed
	Conflict     Kind = "conflict"     // 409: the world changed meanwhile
	Gone         Kind = "gone"         // 410: a link that was used or ran out
	TooMany      Kind = "too_many"     // 429: slow down
	Away         Kind = "away"         // 503: the server of the customer cannot be reached
	Internal     Kind = "internal"     // 500: ours
)

// Fault is an error with a kind. Test sentinels with errors.Is.
type Fault struct {
	Kind   Kind
	Code   string            // stable, for API clients: "approval-decided"
	Log    string            // for logs
	Public string            // for people: what happened, what was kept, what to do
	Fields map[string]string // Invalid only: message by field
}

// New makes a sentinel: code for API clients, log text for us, public text for the person.
func New(kind Kind, code, log, public string) *Fault {
	return &Fault{Kind: kind, Code: code, Log: log, Public: public}
}

// Bad makes an Invalid fault with a message for each field.
func Bad(fields map[string]string) *Fault {
	return &Fault{Kind: Invalid, Code: "invalid", Log: "input does not fit", Public: "Please check the marked fields. Nothing was saved.", Fields: fields}
}

func (f *Fault) Error() string { return f.Log }

// Of finds the Fault in err's chain. What holds none is Internal and says nothing about its cause.
func Of(err error) *Fault {
	var f *Fault
	if errors.As(err, &f) {
		return f
	}
	return &Fault{Kind: Internal, Code: "internal", Log: "internal error", Public: "Something went wrong on our side. Nothing more was changed. Try again. If it happens again, write to us with the reference number below."}
}
