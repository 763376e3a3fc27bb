package azure

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// authority is a CA for one server, made at its start. Its key is never written.
type authority struct {
	file      string // where its certificate is, as PEM
	temporary bool
	roots     *x509.CertPool
	server    tls.Certificate
}

// certificateLife outlives any run of an emulator.
const certificateLife = 90 * 24 * time.Hour

// newAuthority makes a CA and a server's certificate for an address, and writes the CA to a file.
func newAuthority(address net.Addr, file string) (*authority, error) {
	root, rootKey, err := certificate(&x509.Certificate{
		Subject: pkix.Name{CommonName: "nasight emulator CA"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("make a CA: %w", err)
	}
	leaf := &x509.Certificate{
		Subject: pkix.Name{CommonName: "nasight emulator"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, KeyUsage: x509.KeyUsageDigitalSignature,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if tcp, ok := address.(*net.TCPAddr); ok && !tcp.IP.IsUnspecified() {
		leaf.IPAddresses = append(leaf.IPAddresses, tcp.IP)
	}
	server, serverKey, err := certificate(leaf, root, rootKey)
	if err != nil {
		return nil, fmt.Errorf("make a certificate for %s: %w", address, err)
	}
	a := &authority{file: file, roots: x509.NewCertPool(), server: tls.Certificate{Certificate: [][]byte{server.Raw}, PrivateKey: serverKey}}
	a.roots.AddCert(root)
	return a, a.write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Raw}))
}

// certificate signs a template with the parent's key; without a parent it signs itself.
func certificate(template, parent *x509.Certificate, parentKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)); err != nil {
		return nil, nil, err
	}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(certificateLife) // clients use the real time
	if parent == nil {
		parent, parentKey = template, key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		return nil, nil, err
	}
	signed, err := x509.ParseCertificate(der)
	return signed, key, err
}

func (a *authority) write(data []byte) error {
	if a.file != "" {
		if absolute, err := filepath.Abs(a.file); err == nil {
			a.file = absolute // readers may be started elsewhere
		}
		if err := os.WriteFile(a.file, data, 0o644); err != nil { //nolint:gosec // a certificate is public
			return fmt.Errorf("write the CA: %w", err)
		}
		return nil
	}
	file, err := os.CreateTemp("", "nasight-emulator-ca-*.pem")
	if err != nil {
		return fmt.Errorf("write the CA: %w", err)
	}
	a.file, a.temporary = file.Name(), true
	_, err = file.Write(data)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("write the CA: %w", err)
	}
	return nil
}

func (a *authority) remove() error {
	if !a.temporary {
		return nil
	}
	return os.Remove(a.file)
}

func (a *authority) client() *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: a.roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}}
}
