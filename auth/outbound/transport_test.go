package outbound

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/twodoor/twodoor/internal/secret"
)

// newPair is a self-signed certificate and its key, in PEM.
func newPair(t *testing.T) (certificate, private secret.Ref) {
	t.Helper()
	made, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(7), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &made.PublicKey, made)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(made)
	if err != nil {
		t.Fatal(err)
	}
	return inPEM("CERTIFICATE", der), inPEM("PRIVATE KEY", raw)
}

func inPEM(kind string, der []byte) secret.Ref {
	return secret.NewRef(string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})))
}

func TestClientCertificates(t *testing.T) {
	var serials []int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		serials = append(serials, r.TLS.PeerCertificates[0].SerialNumber.Int64())
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	t.Cleanup(server.Close)

	conn := Connection{Type: MutualTLS, CA: inPEM("CERTIFICATE", server.Certificate().Raw)}
	conn.Certificate, conn.PrivateKey = newPair(t)
	c := client(t, server.URL, Rule{Connection: "k"}, map[string]Connection{"k": conn})
	for range 2 {
		if _, err := call(t, c, "GET", server.URL, ""); err != nil {
			t.Fatal(err)
		}
	}
	if len(serials) != 2 || serials[0] != 7 || len(c.secure) != 1 {
		t.Errorf("the far side saw %v, over %d transports", serials, len(c.secure))
	}
}

func TestConnectionsAreKept(t *testing.T) {
	far := newFarSide(t, nil)
	var addresses []string
	far.answer = func(w http.ResponseWriter, r *http.Request) {
		addresses = append(addresses, r.RemoteAddr)
		_, _ = w.Write([]byte("x"))
	}
	c := client(t, far.URL, Rule{Connection: "k"}, map[string]Connection{"k": bearerKey})
	for range 3 {
		req, err := http.NewRequest("GET", far.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.keyed(req, []key{{name: "k", conn: bearerKey}})
		if err != nil {
			t.Fatal(err)
		}
		drop(resp)
	}
	if addresses[0] != addresses[2] {
		t.Errorf("a connection for each request: %v", addresses)
	}
}
