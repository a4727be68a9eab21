package portal_test

import (
	"encoding/json"
	"sync"
	"time"

	"gatehouse/agentd/wire"
)

// signer is the key that every customer's server has reported, stranger one that none has.
var signer, stranger = sync.OnceValue(newSigner), sync.OnceValue(newSigner)

func newSigner() wire.Signer {
	s, err := wire.NewSigner()
	if err != nil {
		panic(err) // there is no test without it
	}
	return s
}

// signature is the field of a form that gives leave. Whether it holds is for the server to say; the one here looks at
// none.
func signature() string { return signatureOf(signer(), time.Now()) }

func signatureOf(s wire.Signer, at time.Time) string {
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
