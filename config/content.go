package config

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io/fs"
	"os"
)

// The most bytes of files that others are told by.
const (
	mostSecret    = 64 << 10
	mostAuthority = 4 << 20
)

// content reads a file that has to be there, where one is named; nil where there is nothing to look at.
func (c *check) content(key, path string, most int64) []byte {
	if path == "" {
		return nil
	}
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		c.fail(key, "there is no file %s; write the path of one, or leave the key out", path)
		return nil
	case err != nil:
		c.fail(key, "cannot be read: %v; let the user that nasight runs as read it", err)
		return nil
	case !info.Mode().IsRegular():
		c.fail(key, "%s is a directory or a device; write the path of a file", path)
		return nil
	case info.Size() > most:
		c.fail(key, "%s has more than %d bytes; write the path of another file", path, most)
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		c.fail(key, "cannot be read: %v; let the user that nasight runs as read it", err)
		return nil
	}
	if data == nil {
		data = []byte{}
	}
	return data
}

// secret wants one line in a file, as it goes into a header. What is in it is not shown.
func (c *check) secret(key, path string) {
	data := c.content(key, path, mostSecret)
	if data == nil {
		return
	}
	switch secret := bytes.TrimSpace(data); {
	case len(secret) == 0:
		c.fail(key, "%s is empty; write the secret into it, on one line", path)
	case bytes.ContainsFunc(secret, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
		c.fail(key, "%s does not hold one line of text; write the secret alone into it", path)
	}
}

// authority wants certificates in a file.
func (c *check) authority(key, path string) {
	c.certificates(key, path, c.content(key, path, mostAuthority))
}

// cloudAuthority is the same where the cloud's section has looked for the file.
func (c *check) cloudAuthority(key, path string) {
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		c.authority(key, path)
	}
}

func (c *check) certificates(key, path string, data []byte) {
	if data != nil && !x509.NewCertPool().AppendCertsFromPEM(data) {
		c.fail(key, "%s holds no certificate; write the path of a PEM file, which begins with -----BEGIN CERTIFICATE-----", path)
	}
}

// keyPair wants a certificate and the key to it. That both are named is checked with the rest of the section.
func (c *check) keyPair(section, certificate, key string) {
	first, second := c.content(section+".cert_file", certificate, mostAuthority), c.content(section+".key_file", key, mostAuthority)
	if first == nil || second == nil {
		return
	}
	if _, err := tls.X509KeyPair(first, second); err != nil {
		c.fail(section+".cert_file", "%s and key_file %s are no certificate and its key: %v; write the paths of PEM files that belong together", certificate, key, err)
	}
}
