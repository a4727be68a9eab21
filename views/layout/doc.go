// Package layout holds the frames that pages stand in: the portal and the console (Shell), public pages, sign-in,
// single tasks without a menu, and the page of a failed request. A frame has the skip link, the landmarks, the live
// strip, the regions that are spoken, and sign-out for whoever is signed in.
//
// What a frame needs of the request travels in the context (ui.Request): the CSRF token, the theme, the path.
//
// Change here: what every page of a kind has around it. Not here: components (views/ui), look (static/app.css).
// May import: views/ui, views/ui/hx, views/i18n, static. Used by: views, app/web, cmd/hub. Proof: go test ./views/layout ./views/ui
package layout
