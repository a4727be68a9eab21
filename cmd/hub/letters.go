package main

import (
	"context"

	"gatehouse/app/account"
	"gatehouse/jobs"
	"gatehouse/views/mail"
)

// letters puts letters into words. Their links begin with the configured address, whatever a request said.
func letters(public string) jobs.Writer {
	return func(ctx context.Context, l account.Letter) (subject, html, text string, err error) {
		written, err := mail.Write(ctx, mail.Props{Kind: mail.Kind(l.Template), Name: l.Name, Token: l.Token, Hub: public})
		return written.Subject, written.HTML, written.Text, err
	}
}
