package export

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/server"
)

// askWait is how long a server is waited for.
const askWait = 10 * time.Second

// Service is what pages do with archives. Every method reaches the customer's own server and no other.
type Service struct{ Peer server.Peer }

// Start has the server make an archive. Most are done with the answer.
func (s *Service) Start(ctx context.Context, of account.CustomerID, by wire.Origin) (wire.Export, error) {
	return server.Ask[wire.Export](ctx, s.Peer, of, wire.MethodExportStart, wire.ExportStart{By: by}, askWait)
}

// Newest says how the newest archive stands.
func (s *Service) Newest(ctx context.Context, of account.CustomerID) (wire.Export, error) {
	return server.Ask[wire.Export](ctx, s.Peer, of, wire.MethodExportGet, struct{}{}, askWait)
}

// Read gives a stretch of an archive.
func (s *Service) Read(ctx context.Context, of account.CustomerID, id string, offset int64) (wire.ExportPart, error) {
	return server.Ask[wire.ExportPart](ctx, s.Peer, of, wire.MethodExportRead, wire.ExportRead{ID: id, Offset: offset}, askWait)
}

// ReadFiles gives a stretch of the archive of files, sealed to the browser that asks.
func (s *Service) ReadFiles(ctx context.Context, of account.CustomerID, p wire.ExportFilesRead) (wire.FilePart, error) {
	return server.Ask[wire.FilePart](ctx, s.Peer, of, wire.MethodExportFiles, p, askWait)
}
