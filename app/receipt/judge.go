package receipt

import (
	"context"
	"encoding/hex"
	"fmt"

	"gatehouse/agentd/wire"
)

// judge says whether c extends the anchor, why not, and whether it is new. The same checkpoint may come twice.
func (s *Service) judge(ctx context.Context, l Log, c wire.Checkpoint) (why string, add bool, err error) {
	if !fits(c) {
		return "The server sent a checkpoint of its receipts that is none.", false, nil
	}
	head, err := s.Store.Head(ctx, l)
	if err != nil {
		return "", false, err
	}
	if c.Seq > head.Seq {
		why = extends(head, c)
		return why, why == "", nil
	}
	known, err := s.Store.At(ctx, l, c.Seq)
	switch {
	case err != nil:
		return "", false, err
	case known.Seq == 0:
		return fmt.Sprintf("The log of receipts went back: it was anchored up to %d, and now %d is reported as its end.", head.Seq, c.Seq), false, nil
	case known.Hash != c.Hash:
		return rewritten(c.Seq), false, nil
	}
	return "", false, nil
}

// fits says whether c can be a checkpoint.
func fits(c wire.Checkpoint) bool {
	before := c.PrevHash == "" && c.PrevSeq == 0 || isHash(c.PrevHash) && c.PrevSeq >= 0 && c.PrevSeq < c.Seq
	return c.Seq > 0 && isHash(c.Hash) && before
}

func isHash(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == 32 && s == hex.EncodeToString(raw)
}

// extends says why c, which is beyond the head, does not go on from it; empty when it does. Whatever an honest server sends
// passes: it makes a checkpoint and remembers it in one transaction, sends them in order, and names as the one before what
// its log holds there.
func extends(head, c wire.Checkpoint) string {
	switch {
	case head.Seq == 0:
		return "" // the first of a history is believed: the hub may be younger than the log
	case c.PrevHash == "" && head.PrevHash == "":
		return "" // from before version 2 of the protocol: it made no such promise
	case c.PrevHash == "":
		return fmt.Sprintf("The log of receipts no longer says what it goes on from: checkpoint %d did, and %d does not.", head.Seq, c.Seq)
	case c.PrevSeq > head.Seq:
		return "" // the hub was set back to an older copy of its data; when it connects it asks for the rest (Compare)
	case c.PrevSeq < head.Seq:
		return fmt.Sprintf("The log of receipts went back: it was anchored up to %d, and goes on from %d.", head.Seq, c.PrevSeq)
	case c.PrevHash != head.Hash:
		return rewritten(head.Seq)
	}
	return ""
}

func rewritten(seq int64) string {
	return fmt.Sprintf("The log of receipts was rewritten: receipt %d has another hash than when it was anchored.", seq)
}
