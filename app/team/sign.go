package team

import (
	"encoding/json"
	"fmt"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
)

// signSkew is how far the time in a signature may be from the hub's when it arrives.
const signSkew = 5 * time.Minute

// What can be wrong with the signature on a rise of power. Whether it holds is for the server to say.
var (
	ErrUnsigned = fault.New(fault.Forbidden, "signature-required", "rise of power without a signature",
		"You can let an agent do more only on a device that may approve. Nothing was changed. Let this device approve under Settings, Devices that may approve.")
	errSignedLate = fault.New(fault.Forbidden, "signature-stale", "time of the signature is too far off",
		"This took more than 5 minutes to arrive, or this device's clock is wrong. Nothing was changed. Check the clock and try again.")
	errSignedOther = fault.New(fault.Conflict, "settings-changed", "signature for another version",
		"The settings have changed meanwhile. Your change was not saved. Reload the page and try again.")
	errManyRaises = fault.New(fault.Invalid, "many-raises", "one signature for several rises", "This would let agents do more in several ways at once. Nothing was changed. Change them one by one.")
)

// Signed is an edit that a person signed, for the version that it makes. An edit that raises nothing needs no signature.
func Signed(edit Edit, version int64, sig *wire.Signature) Edit {
	return func(c *wire.Config) error {
		if err := edit(c); err != nil {
			return err
		}
		if sig != nil {
			c.Signed = []wire.SignedChange{{Version: version, Signature: sig}}
		}
		return nil
	}
}

// pending are the signatures of a version that were given for versions that the server has not reported yet.
func pending(was State, of wire.Config) (all []wire.SignedChange) {
	for _, c := range of.Signed {
		if c.Version > was.Applied {
			all = append(all, c)
		}
	}
	return all
}

// signed is the signatures that a version carries: those of the versions that the server has not reported yet, and the
// one on what this version raises.
func (s *Service) signed(was State, raises []wire.Raise, offered []wire.SignedChange, version int64) ([]wire.SignedChange, error) {
	all := pending(was, was.base())
	if len(raises) == 0 {
		return all, nil
	}
	switch {
	case len(offered) == 0:
		return nil, ErrUnsigned
	case len(raises) > 1:
		return nil, errManyRaises
	case offered[0].Version != version:
		return nil, errSignedOther
	}
	if d := s.Now().Sub(offered[0].Signature.Time); d > signSkew || d < -signSkew {
		return nil, errSignedLate
	}
	body, err := json.Marshal(raises[0].Body)
	if err != nil {
		return nil, fmt.Errorf("change settings: %w", err)
	}
	return append(all, wire.SignedChange{Kind: raises[0].Kind, Body: body, Version: version, Signature: offered[0].Signature}), nil
}
