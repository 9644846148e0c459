package identity

import (
	"context"
	"crypto"
	"crypto/hmac"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrInvalidJWT says that a text is no valid session JWT of the app: answer 401.
	ErrInvalidJWT = errors.New("this is no valid session JWT")
	// ErrJWKSUnavailable says that the keys could not be fetched, so the JWT was not checked: answer 503.
	ErrJWKSUnavailable = errors.New("the keys of the app could not be fetched")
	// ErrInvalidWebhook says that a request is not signed with the secret, or is old: answer 400.
	ErrInvalidWebhook = errors.New("this is no valid webhook")
)

const keysLive, keysStale, fetchPause, oldest = 5 * time.Minute, time.Hour, 30 * time.Second, 5 * time.Minute

var encoding = base64.RawURLEncoding.Strict()

// Claims of a session JWT. Sub is the user, and JTI the session.
type Claims struct {
	Iss, Sub, JTI string
	Iat, Nbf, Exp float64
	Aud           json.RawMessage
}

// SessionVerifier verifies session JWTs offline, by the keys that the app publishes. Keep one per process.
type SessionVerifier struct {
	client        *Client
	appID, issuer string
	keys          atomic.Pointer[keySet]
	fetching      sync.Mutex
	tried         time.Time
}

type keySet struct {
	byID    map[string]*rsa.PublicKey
	fetched time.Time
}

// NewSessionVerifier verifies the sessions of one app.
func NewSessionVerifier(baseURL, appID string) *SessionVerifier {
	client := NewClient(Options{BaseURL: baseURL, Attempts: 1, Timeout: 10 * time.Second})
	verifier := &SessionVerifier{client: client, appID: appID, issuer: client.options.BaseURL + "/" + appID}
	verifier.keys.Store(&keySet{})
	return verifier
}

// Verify returns the claims of a valid JWT, else ErrInvalidJWT or ErrJWKSUnavailable.
func (v *SessionVerifier) Verify(jwt string) (*Claims, error) {
	var claims Claims
	var header struct {
		Alg, Kid  string
		Crit, B64 json.RawMessage
	}
	parts := strings.Split(jwt, ".")
	if len(jwt) > 8_192 || len(parts) != 3 || strings.ContainsAny(jwt, "\r\n") {
		return nil, ErrInvalidJWT
	}
	signature, err := encoding.DecodeString(parts[2])
	isDecoded := err == nil && decode(parts[0], &header) && decode(parts[1], &claims)
	// The algorithm is fixed here and never taken from the JWT, which an attacker writes.
	if !isDecoded || header.Alg != "RS256" || header.Crit != nil || header.B64 != nil {
		return nil, ErrInvalidJWT
	}
	key, err := v.key(header.Kid)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	now := float64(time.Now().UnixMilli()) / 1_000
	isWhole := claims.Iss == v.issuer && claims.Aud == nil && claims.Sub != "" && claims.JTI != "" && claims.Iat != 0 && claims.Nbf != 0
	isNow := claims.Nbf <= now+5 && now-5 < claims.Exp
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) != nil || !isWhole || !isNow {
		return nil, ErrInvalidJWT
	}
	return &claims, nil
}

// key waits only if its keys are old, or if none of them has the id: a JWT with an unknown id does not hold up the others.
func (v *SessionVerifier) key(id string) (*rsa.PublicKey, error) {
	set := v.keys.Load()
	if set.byID[id] == nil || time.Since(set.fetched) > keysLive {
		set = v.fetch()
	}
	// The service may restart, so the last keys serve for an hour.
	if time.Since(set.fetched) > keysStale {
		return nil, ErrJWKSUnavailable
	}
	if set.byID[id] == nil {
		return nil, ErrInvalidJWT
	}
	return set.byID[id], nil
}

func (v *SessionVerifier) fetch() *keySet {
	v.fetching.Lock()
	defer v.fetching.Unlock()
	if time.Since(v.tried) > fetchPause {
		v.tried = time.Now()
		// The next callers wait for the keys too, so the call does not end with that of the first one.
		if published, err := v.client.Jwks.Get(context.Background(), v.appID); err == nil {
			set := &keySet{map[string]*rsa.PublicKey{}, v.tried}
			for _, each := range published.Keys {
				n, _ := encoding.DecodeString(each.N)
				e, _ := encoding.DecodeString(each.E)
				set.byID[each.Kid] = &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(new(big.Int).SetBytes(e).Int64())}
			}
			v.keys.Store(set)
		}
	}
	return v.keys.Load()
}

func decode(part string, result any) bool {
	text, err := encoding.DecodeString(part)
	return err == nil && json.Unmarshal(text, result) == nil
}

// VerifyWebhook decodes the event of a webhook into result. The body is the bytes that arrived. While a secret rotates, pass both.
func VerifyWebhook(body []byte, header http.Header, result any, secrets ...string) error {
	id, stamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseUint(stamp, 10, 40)
	age := time.Since(time.Unix(int64(seconds), 0)).Truncate(time.Second)
	if err != nil || age > oldest || age < -oldest || !json.Valid(body) {
		return ErrInvalidWebhook
	}
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			return errors.New("the secret is empty, or is not in base64")
		}
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", id, stamp, body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
			if hmac.Equal([]byte(expected), []byte(given)) {
				return json.Unmarshal(body, result)
			}
		}
	}
	return ErrInvalidWebhook
}
