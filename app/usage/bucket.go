package usage

import (
	"time"

	"gatehouse/app/account"
	"gatehouse/app/server"
)

// Key says whose key paid the model provider.
type Key string

// The keys. Only what the house paid is charged; the others are metered and shown.
const (
	House Key = "house" // the operator's
	Own   Key = "own"   // the customer's own
	Local Key = "local" // nobody's: a model on the server itself, or the rehearsal
)

// Charged reports whether what was used with the key is the operator's to charge.
func (k Key) Charged() bool { return k == House }

// Bucket is what one agent used of one model in one hour. Its counts are cumulative, and the one with the largest revision
// is the valid one.
type Bucket struct {
	Server   server.ID
	Customer account.CustomerID // whose the server is
	Epoch    string             // the meter's database; one that is new or was restored has another
	Hour     time.Time          // its beginning, UTC
	Agent    string
	Parent   string // the agent for which a sub-agent worked; empty: it worked for itself
	Model    string // as the provider was asked for it
	Profile  string // name of the account at the provider
	Key      Key
	Revision int64 // of the meter's database, when the row changed last
	Counts
}

// Counts are sums. Input, Output, CacheRead and CacheWrite together are all tokens, each counted once. EstInput and EstOutput
// are the part of Input and Output that a tokenizer counted because the answer did not say what it used: they are
// among them and must not be added to them.
type Counts struct {
	Requests   int64
	Estimated  int64 // requests, among Requests, whose tokens were estimated at least in part
	Input      int64 // tokens that were sent, without those of the cache
	Output     int64
	CacheRead  int64
	CacheWrite int64
	EstInput   int64 // part of Input
	EstOutput  int64 // part of Output
	Searches   int64
	Fetches    int64
}

// Plus adds two counts.
func (c Counts) Plus(d Counts) Counts {
	return Counts{
		Requests: c.Requests + d.Requests, Estimated: c.Estimated + d.Estimated,
		Input: c.Input + d.Input, Output: c.Output + d.Output,
		CacheRead: c.CacheRead + d.CacheRead, CacheWrite: c.CacheWrite + d.CacheWrite,
		EstInput: c.EstInput + d.EstInput, EstOutput: c.EstOutput + d.EstOutput,
		Searches: c.Searches + d.Searches, Fetches: c.Fetches + d.Fetches,
	}
}

// all are the counts one by one.
func (c Counts) all() [10]int64 {
	return [...]int64{
		c.Requests, c.Estimated, c.Input, c.Output, c.CacheRead, c.CacheWrite, c.EstInput, c.EstOutput, c.Searches, c.Fetches,
	}
}

// lessThan says whether some count of c is less than that of d.
func (c Counts) lessThan(d Counts) bool {
	of := d.all()
	for i, n := range c.all() {
		if n < of[i] {
			return true
		}
	}
	return false
}

// Tokens are all tokens of c.
func (c Counts) Tokens() int64 { return c.Input + c.Output + c.CacheRead + c.CacheWrite }
