package account

import (
	"net/url"

	"gatehouse/views/portal"
)

// HerePath is the dialog that lets this device approve, for the page that needs it.
const HerePath = portal.Approvers + "/here"

// hasDevice says whether some browser or passkey of an owner may approve already: it can let this one in.
func (p ApproversProps) hasDevice() bool { return p.Vouchers }

func next(path string) string { return url.QueryEscape(path) }
