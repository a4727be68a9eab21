package chat

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
)

// MaxTitle is how many characters the name of a conversation may have.
const MaxTitle = wire.MaxTitle

// Record keeps what people did; db.Trail has it.
type Record interface {
	Add(ctx context.Context, e audit.Entry) error
}

// Rename gives a conversation another name.
func (s *Service) Rename(ctx context.Context, of account.CustomerID, id, title string) (wire.SessionInfo, error) {
	title = strings.Join(strings.Fields(title), " ")
	switch n := utf8.RuneCountInString(title); {
	case n == 0:
		return wire.SessionInfo{}, fault.Bad(map[string]string{"title": "Type a name. The conversation keeps the one that it has."})
	case n > MaxTitle:
		const long = "This is %d characters too long. A name has at most %d."
		return wire.SessionInfo{}, fault.Bad(map[string]string{"title": fmt.Sprintf(long, n-MaxTitle, MaxTitle)})
	}
	return ask[wire.SessionInfo](ctx, s, of, wire.MethodSessionRename, wire.SessionRename{SessionID: id, Title: title})
}

// Archive takes a conversation out of the list, or puts it back.
func (s *Service) Archive(ctx context.Context, of account.CustomerID, id string, archived bool) (wire.SessionInfo, error) {
	return ask[wire.SessionInfo](ctx, s, of, wire.MethodSessionArchive, wire.SessionArchive{SessionID: id, Archived: archived})
}

// Delete deletes a conversation with all that was said in it, if the server finds that an approver key has signed for it.
// The hub holds nothing of what was said; it keeps that somebody deleted something.
func (s *Service) Delete(ctx context.Context, of account.CustomerID, by wire.Origin, id string, sig *wire.Signature) error {
	in := wire.SessionDelete{SessionID: id, Signature: sig, By: by}
	if _, err := ask[wire.SessionDeleted](ctx, s, of, wire.MethodSessionDelete, in); err != nil {
		return err
	}
	err := s.Record.Add(ctx, audit.Entry{
		ID: uuid.Must(uuid.NewV7()).String(), At: s.Now().UTC(),
		By:         audit.Actor{Kind: audit.User, ID: by.UserID, Name: by.Email, Address: by.Address},
		CustomerID: string(of), Action: string(wire.MethodSessionDelete), Target: id,
	})
	if err != nil {
		return fmt.Errorf("record of a deletion: %w", err)
	}
	return nil
}
