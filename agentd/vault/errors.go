package vault

import (
	"errors"
	"fmt"

	"gatehouse/agentd/store"
)

// Errors that callers act on. None of them, and no other error of this package, holds a value.
var (
	// ErrTampered is a hard fault: the rows of the vault are not as it left them. A person must restore a backup.
	ErrTampered = fmt.Errorf("the vault was changed from outside: %w", store.ErrCorrupt)
	// ErrKey says that no source gives the master key of this vault.
	ErrKey = errors.New("no master key fits this vault")
	// ErrModes says that others may read a key file or a file of credentials.
	ErrModes = errors.New("others may read it; mend it with chmod 600")
	// ErrUnknown says that there is no such secret or version.
	ErrUnknown = errors.New("no such secret")
	// ErrInvalid says that a name, value, binding or constraint is not one.
	ErrInvalid = errors.New("invalid")
	// ErrElsewhere says that the value of a secret comes from the external vault, and is changed there.
	ErrElsewhere = errors.New("its value comes from the external vault; it is changed there")
	// ErrAnswered says that a request does not wait anymore.
	ErrAnswered = errors.New("this request was answered before")
)
