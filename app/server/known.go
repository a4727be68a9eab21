package server

import (
	"context"
	"time"

	"gatehouse/app/account"
	"gatehouse/app/recent"
)

// knownLife is how long it is believed which server a customer has. A question that goes to a server that was revoked a
// moment ago finds no link: nothing is answered from there, and the next one goes to the new server.
const knownLife = 500 * time.Millisecond

// Known is a Finder for questions, which come one after the other: it spares the database the same answer again and
// again. What must reach the right server in the end, as a message that waits for it, asks the Finder itself.
type Known struct {
	Finder Finder
	Now    func() time.Time

	ids recent.Answers[account.CustomerID, ID]
}

// ServerOf answers from memory what was read a moment ago. That there is no server is never kept.
func (k *Known) ServerOf(ctx context.Context, of account.CustomerID) (ID, error) {
	return k.ids.Read(of, knownLife, k.Now(), func() (ID, error) { return k.Finder.ServerOf(ctx, of) })
}
