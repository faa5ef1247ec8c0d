package outbound

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/twodoor/twodoor"
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

// TestUnencryptedHTTP2 sends a request that says HTTP/2 to an http:// address as HTTP/2, with its key;
// every other one as HTTP/1.1.
func TestUnencryptedHTTP2(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto+" "+r.Header.Get("Authorization"))
	}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	client := &Client{
		Connections: map[string]Connection{"key": {Type: Bearer, Token: secret.NewRef("t")}},
		Sources:     map[string]Rule{"s": {Origins: []string{server.URL}, Connection: "key"}},
	}
	defer client.CloseIdle()
	for major, want := range map[int]string{1: "HTTP/1.1 Bearer t", 2: "HTTP/2.0 Bearer t"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		req.ProtoMajor = major
		resp, err := client.Do(req, twodoor.Access{Source: "s"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(got) != want {
			t.Errorf("HTTP/%d is sent as %q, %v", major, got, err)
		}
	}
}
