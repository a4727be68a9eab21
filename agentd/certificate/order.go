package certificate

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/crypto/acme"
)

// Limits of one certificate.
const (
	orderWithin  = 5 * time.Minute
	answerWithin = 30 * time.Second
)

// order gets a certificate with a key of its own: key and chain, PEM.
func (k Keeper) order(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, orderWithin)
	defer cancel()
	who, err := k.accountKey()
	if err != nil {
		return nil, err
	}
	way := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: k.Roots, MinVersion: tls.VersionTLS12}}
	defer way.CloseIdleConnections()
	c := &acme.Client{
		Key: who, DirectoryURL: k.Authority, UserAgent: "gatehouse-agentd", HTTPClient: &http.Client{Transport: way, Timeout: answerWithin},
	}
	if _, err := c.Register(ctx, &acme.Account{}, acme.AcceptTOS); err != nil && !errors.Is(err, acme.ErrAccountAlreadyExists) {
		return nil, err
	}
	o, err := c.AuthorizeOrder(ctx, acme.DomainIDs(k.Name))
	if err != nil {
		return nil, err
	}
	for _, url := range o.AuthzURLs {
		if err := k.prove(ctx, c, url); err != nil {
			return nil, err
		}
	}
	if o, err = c.WaitOrder(ctx, o.URI); err != nil {
		return nil, err
	}
	return k.finish(ctx, c, o)
}

// prove shows the authority that this machine answers for the name.
func (k Keeper) prove(ctx context.Context, c *acme.Client, url string) error {
	a, err := c.GetAuthorization(ctx, url)
	if err != nil || a.Status == acme.StatusValid {
		return err
	}
	for _, ch := range a.Challenges {
		if ch.Type != "http-01" {
			continue
		}
		says, err := c.HTTP01ChallengeResponse(ch.Token)
		if err != nil {
			return err
		}
		path := filepath.Join(k.Challenge, filepath.Base(ch.Token))
		if err := os.WriteFile(path, []byte(says), 0o644); err != nil { //nolint:gosec // the web server hands it out to everybody
			return err
		}
		if err := os.Chmod(path, 0o644); err != nil { //nolint:gosec // likewise, whatever the umask is
			return err
		}
		defer func() { _ = os.Remove(path) }() // nobody asks for it again
		if _, err := c.Accept(ctx, ch); err != nil {
			return err
		}
		_, err = c.WaitAuthorization(ctx, url)
		return err
	}
	return errors.New("the authority does not take a file on the web server as proof")
}

// finish has the certificate made, and looks at what comes before it is kept.
func (k Keeper) finish(ctx context.Context, c *acme.Client, o *acme.Order) ([]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	request, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{DNSNames: []string{k.Name}}, key)
	if err != nil {
		return nil, err
	}
	chain, _, err := c.CreateCertFromOrder(ctx, o, request, true)
	if err != nil {
		return nil, err
	}
	leaf, err := x509.ParseCertificate(chain[0])
	if err != nil {
		return nil, err
	}
	if !k.Now().Before(renewAt(leaf, k.Name)) || !key.PublicKey.Equal(leaf.PublicKey) {
		return nil, errors.New("what the authority sent is not the certificate that was asked for")
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = pem.Encode(&out, &pem.Block{Type: keyBlock, Bytes: secret})
	for _, der := range chain {
		err = errors.Join(err, pem.Encode(&out, &pem.Block{Type: "CERTIFICATE", Bytes: der}))
	}
	return out.Bytes(), err
}

const keyBlock = "PRIVATE KEY"

// accountKey is the key by which the authority knows this server. It is made here, once.
func (k Keeper) accountKey() (crypto.Signer, error) {
	path := filepath.Join(k.Dir, account)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return newAccountKey(path)
	}
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s holds no key: move it away, and a new account is made", path)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	signer, ok := key.(crypto.Signer)
	if err != nil || !ok {
		return nil, fmt.Errorf("%s holds no key: move it away, and a new account is made", path)
	}
	return signer, nil
}

func newAccountKey(path string) (crypto.Signer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return key, put(path, pem.EncodeToMemory(&pem.Block{Type: keyBlock, Bytes: secret}))
}
