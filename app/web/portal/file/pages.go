package file

import (
	"context"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/portal/signing"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/file"
)

// Files is what people do with the files of their server; file.Service does it.
type Files interface {
	List(ctx context.Context, of account.CustomerID, p wire.FilesParams) (wire.FilesResult, error)
	Get(ctx context.Context, of account.CustomerID, path string) (wire.File, error)
	Place(ctx context.Context, of account.CustomerID, month, name string) (string, error)
	Image(ctx context.Context, of account.CustomerID, path string) (wire.FileImage, error)
	Read(ctx context.Context, of account.CustomerID, p wire.FileRead) (wire.FilePart, error)
	Versions(ctx context.Context, of account.CustomerID, path string) (wire.FileVersionsResult, error)
	Upload(ctx context.Context, of account.CustomerID, p wire.FileUpload) (wire.FileUploading, error)
	Part(ctx context.Context, of account.CustomerID, p wire.FilePartIn) (wire.FileUploading, error)
	Finish(ctx context.Context, of account.CustomerID, id string) (wire.FileInfo, error)
	Change(ctx context.Context, of account.CustomerID, p wire.FileChange) (wire.FileInfo, error)
}

// Deps are the parts that the pages work with.
type Deps struct {
	Files  Files
	Team   signing.Settings
	Frames *frame.Frames
	Agents *roster.Roster
}

// Pages answers the pages of files.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section and what their script asks for.
func (p *Pages) Routes() []web.Route {
	return []web.Route{
		frame.Get(portal.Files, account.Look, p.list),
		frame.Get(views.ViewPath, account.Look, p.one),
		frame.Get(views.ImagePath, account.Look, p.image),
		frame.Get(views.DownloadPath, account.Look, p.download), frame.Get(views.AboutPath, account.Look, p.about),
		frame.Get(views.PlacePath, account.Look, p.place),
		frame.Post(views.UploadPath, account.Manage, p.upload),
		frame.Post(views.PartPath, account.Manage, p.part),
		frame.Post(views.FinishPath, account.Manage, p.finish),
		frame.Post(views.ChangePath, account.Manage, p.change),
	}
}
