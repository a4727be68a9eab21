package main

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/caarlos0/env/v11"

	"gatehouse/agentd/certificate"
	"gatehouse/agentd/startpage"
)

// certificateSettings are the variables that agentd certificate reads.
type certificateSettings struct {
	Name      string `env:"AGENTD_NAME" help:"certificate: the server's name that it is for"`
	Authority string `env:"AGENTD_ACME_DIRECTORY" help:"certificate: ACME directory of the authority, an https address"`
	Dir       string `env:"AGENTD_CERTIFICATE_DIR" help:"certificate: where it is kept (default /var/lib/agentd-certificate)"`
	Challenge string `env:"AGENTD_CHALLENGE_DIR" help:"certificate: what answers challenges (default below /var/www/acme)"`
}

// keepCertificate is "agentd certificate".
func keepCertificate(ctx context.Context, c *call) error {
	if err := c.parse(0); err != nil {
		return err
	}
	s := certificateSettings{Dir: "/var/lib/agentd-certificate", Challenge: "/var/www/acme/.well-known/acme-challenge"}
	if err := env.Parse(&s); err != nil {
		return fmt.Errorf("%w: settings:\n%w", errUsage, err)
	}
	if u, err := url.Parse(s.Authority); err != nil || u.Scheme != "https" || u.Host == "" || s.Name == "" {
		return fmt.Errorf("%w: AGENTD_NAME and AGENTD_ACME_DIRECTORY, an https address, are needed", errUsage)
	}
	changed, err := certificate.Keeper{
		Name: s.Name, Authority: s.Authority, Dir: s.Dir, Challenge: s.Challenge, Now: time.Now,
	}.Keep(ctx)
	if err == nil && changed {
		_, err = fmt.Fprintf(c.out, "%s has a new certificate.\n", s.Name)
	}
	return err
}

// serveStartPage is "agentd startpage".
func serveStartPage(ctx context.Context, c *call) error {
	socket := c.flags.String("socket", "", "unix socket to answer on")
	name := c.flags.String("name", "", "the server's name")
	if err := c.parse(0); err != nil {
		return err
	}
	if *socket == "" || *name == "" {
		return fmt.Errorf("%w: --socket and --name are needed", errUsage)
	}
	return startpage.Serve(ctx, *socket, startpage.Handler(*name))
}
