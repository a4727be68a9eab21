package agentlink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
)

// How long a server has to say what its log holds, and after how long one that did not is asked again.
const (
	compareTime  = 30 * time.Second
	compareAgain = time.Minute
)

// compare asks a server, once for each connection, whether its log still holds what is kept of it: a server whose data was
// set back shows it here, before it has written anything new. What it does not answer is asked again, and held against it
// by nobody. A server of an older version cannot be asked.
func (c *conn) compare(ctx context.Context) error {
	if c.peer.V < 2 {
		return nil
	}
	for {
		err := c.compareOnce(ctx)
		if err == nil || ctx.Err() != nil {
			return ctx.Err()
		}
		c.h.d.Log.WarnContext(ctx, "receipts not compared yet", "server_id", c.peer.ID, "error", err)
		if err := pause(ctx, compareAgain); err != nil {
			return err
		}
	}
}

func (c *conn) compareOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, compareTime)
	defer cancel()
	kept, err := c.h.d.Receipts.Kept(ctx, c.peer.ID, c.peer.Key)
	if err != nil || len(kept) == 0 {
		return err
	}
	var p wire.HashesParams
	for _, k := range kept {
		p.Seqs = append(p.Seqs, k.Seq)
	}
	var has wire.HashesResult
	if err := c.question(ctx, wire.MethodReceiptsHashes, p, &has); err != nil {
		return err
	}
	return c.h.d.Receipts.Compare(ctx, c.peer.ID, kept, has)
}

// question asks the server at the other end of this very connection, and waits for its answer.
func (c *conn) question(ctx context.Context, m wire.Method, params, result any) error {
	key, err := uuid.NewV7()
	if err != nil {
		return err
	}
	body, err := json.Marshal(params)
	if err != nil {
		return err
	}
	until, _ := ctx.Deadline()
	raw, err := json.Marshal(wire.RPCRequest{ID: key.String(), Method: m, Params: body, Deadline: until})
	if err != nil {
		return err
	}
	said := make(chan []byte, 1)
	c.Ask(raw, func(reply []byte) { said <- reply })
	select {
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", m, ctx.Err())
	case reply := <-said:
		return answer(reply, result)
	}
}

// errNoResult says that an answer holds neither a result nor a refusal.
var errNoResult = errors.New("answer without a result")

func answer(raw []byte, result any) error {
	var r wire.RPCReply
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	switch {
	case r.Error != nil:
		return r.Error
	case len(r.Result) == 0 || string(r.Result) == "null":
		return errNoResult
	}
	return json.Unmarshal(r.Result, result)
}
