package chat

import (
	"context"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
)

// Sessions lists conversations, newest first.
func (s *Service) Sessions(ctx context.Context, of account.CustomerID, p wire.ListParams) (wire.SessionsResult, error) {
	return ask[wire.SessionsResult](ctx, s, of, wire.MethodSessionsList, p)
}

// Session reads a conversation with a slice of its turns.
func (s *Service) Session(ctx context.Context, of account.CustomerID, p wire.SessionParams) (wire.Session, error) {
	return ask[wire.Session](ctx, s, of, wire.MethodSessionGet, p)
}

// Runs lists what the team did, newest first.
func (s *Service) Runs(ctx context.Context, of account.CustomerID, p wire.ListParams) (wire.RunsResult, error) {
	return ask[wire.RunsResult](ctx, s, of, wire.MethodRunsList, p)
}

// Run reads one root run with everything that belongs to it.
func (s *Service) Run(ctx context.Context, of account.CustomerID, runID string) (wire.Run, error) {
	return ask[wire.Run](ctx, s, of, wire.MethodRunGet, wire.RunParams{RunID: runID})
}

// Receipts reads the log of one root run.
func (s *Service) Receipts(ctx context.Context, of account.CustomerID, runID string) (wire.ReceiptsResult, error) {
	return ask[wire.ReceiptsResult](ctx, s, of, wire.MethodRunReceipts, wire.RunParams{RunID: runID})
}

// Change reads a write of a file, and what taking it back would do now.
func (s *Service) Change(ctx context.Context, of account.CustomerID, callID string) (wire.Change, error) {
	return ask[wire.Change](ctx, s, of, wire.MethodChangeGet, wire.ChangeParams{CallID: callID})
}

// Approval reads an approval with its contents, also after it was decided: then only the server has them.
func (s *Service) Approval(ctx context.Context, of account.CustomerID, id string) (wire.Approval, error) {
	return ask[wire.Approval](ctx, s, of, wire.MethodApprovalGet, wire.ApprovalParams{ID: id})
}

// Said reads the sentences of approvals, also of decided ones: then only the server has them.
func (s *Service) Said(ctx context.Context, of account.CustomerID, ids []string) (map[string]string, error) {
	got, err := ask[wire.ApprovalsSaid](ctx, s, of, wire.MethodApprovalsSaid, wire.ApprovalsSaidParams{IDs: ids})
	return got.Says, err
}

// Agents reads the team as the server runs it.
func (s *Service) Agents(ctx context.Context, of account.CustomerID) (wire.AgentsResult, error) {
	return ask[wire.AgentsResult](ctx, s, of, wire.MethodAgentsList, struct{}{})
}

// Flagged lists content from outside in which known patterns of an attack were noticed, newest first.
func (s *Service) Flagged(ctx context.Context, of account.CustomerID, p wire.FlaggedParams) (wire.FlaggedResult, error) {
	return ask[wire.FlaggedResult](ctx, s, of, wire.MethodFlaggedList, p)
}
