package portaltest

import (
	"encoding/json"
	"sync"
	"time"

	"gatehouse/agentd/wire"
)

// Signer is the key that every customer's server has reported, Stranger one that none has.
var Signer, Stranger = sync.OnceValue(NewSigner), sync.OnceValue(NewSigner)

// NewSigner makes a key that no server has reported.
func NewSigner() wire.Signer {
	s, err := wire.NewSigner()
	if err != nil {
		panic(err) // there is no test without it
	}
	return s
}

// Signature is the field of a form that gives leave. Whether it holds is for the server to say; the one here looks at
// none.
func Signature() string { return SignatureOf(Signer(), time.Now()) }

// SignatureOf is a signature by one key, made at a given time.
func SignatureOf(s wire.Signer, at time.Time) string {
	sig, err := s.Sign("anything", at)
	if err != nil {
		panic(err)
	}
	b, err := json.Marshal(sig)
	if err != nil {
		panic(err)
	}
	return string(b)
}
