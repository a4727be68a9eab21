package file

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/server"
)

// How long a server is waited for: a large picture takes seconds to draw, and a large file to be copied.
const (
	askWait    = 5 * time.Second
	drawWait   = 15 * time.Second
	finishWait = 25 * time.Second
)

// Service is what pages do with files. Every method reaches the customer's own server and no other.
type Service struct{ Peer server.Peer }

// List gives one page of a folder, or what is found below it.
func (s *Service) List(ctx context.Context, of account.CustomerID, p wire.FilesParams) (wire.FilesResult, error) {
	return server.Ask[wire.FilesResult](ctx, s.Peer, of, wire.MethodFilesList, p, askWait)
}

// Get gives one file, with its text where there is one to show.
func (s *Service) Get(ctx context.Context, of account.CustomerID, path string) (wire.File, error) {
	return server.Ask[wire.File](ctx, s.Peer, of, wire.MethodFilesGet, wire.FileParams{Path: path}, askWait)
}

// Image gives a picture as the server has drawn it anew.
func (s *Service) Image(ctx context.Context, of account.CustomerID, path string) (wire.FileImage, error) {
	return server.Ask[wire.FileImage](ctx, s.Peer, of, wire.MethodFilesImage, wire.FileParams{Path: path}, drawWait)
}

// Read gives a stretch of a file, sealed to the browser that asks.
func (s *Service) Read(ctx context.Context, of account.CustomerID, p wire.FileRead) (wire.FilePart, error) {
	return server.Ask[wire.FilePart](ctx, s.Peer, of, wire.MethodFilesRead, p, askWait)
}

// Versions gives what can be taken back of a file, or of what lies in a folder.
func (s *Service) Versions(ctx context.Context, of account.CustomerID, path string) (wire.FileVersionsResult, error) {
	return server.Ask[wire.FileVersionsResult](ctx, s.Peer, of, wire.MethodFilesVersions, wire.FileParams{Path: path}, askWait)
}

// Upload begins an upload, or asks how far it is. The server checks the signature.
func (s *Service) Upload(ctx context.Context, of account.CustomerID, p wire.FileUpload) (wire.FileUploading, error) {
	return server.Ask[wire.FileUploading](ctx, s.Peer, of, wire.MethodFilesUpload, p, askWait)
}

// Part carries one stretch of an upload, which the hub cannot read.
func (s *Service) Part(ctx context.Context, of account.CustomerID, p wire.FilePartIn) (wire.FileUploading, error) {
	return server.Ask[wire.FileUploading](ctx, s.Peer, of, wire.MethodFilesPart, p, askWait)
}

// Finish puts what was uploaded in its place: the server reads all of it once more.
func (s *Service) Finish(ctx context.Context, of account.CustomerID, id string) (wire.FileInfo, error) {
	return server.Ask[wire.FileInfo](ctx, s.Peer, of, wire.MethodFilesFinish, wire.FileFinish{ID: id}, finishWait)
}

// Change carries a person's act on a file. The server checks the signature.
func (s *Service) Change(ctx context.Context, of account.CustomerID, p wire.FileChange) (wire.FileInfo, error) {
	return server.Ask[wire.FileInfo](ctx, s.Peer, of, wire.MethodFilesChange, p, finishWait)
}
