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
	"math/big"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

var (
	// ErrInvalidJWT says that a text is no valid session JWT of the app: answer 401.
	ErrInvalidJWT = errors.New("this is no valid session JWT")
	// ErrKeysUnavailable says that the keys could not be fetched, so the JWT was not checked: answer 503.
	ErrKeysUnavailable = errors.New("the keys of the app could not be fetched")
	// ErrInvalidWebhook says that a request is not signed with the secret, or is old: answer 400.
	ErrInvalidWebhook = errors.New("this is no valid webhook")
)

const (
	keysLive   = 5 * time.Minute
	fetchPause = 30 * time.Second
	keysStale  = time.Hour
	tolerance  = 5
	oldest     = 300
)

// Claims of a session JWT. Sub is the user, and JTI the session.
type Claims struct {
	Iss, Sub, JTI string
	Iat, Nbf, Exp float64
	Aud           json.RawMessage
}

// SessionVerifier verifies session JWTs offline, by the keys that the app publishes. Keep one per process.
type SessionVerifier struct {
	client         *Client
	appID, issuer  string
	lock           sync.Mutex
	keys           map[string]*rsa.PublicKey
	fetched, tried time.Time
}

// NewSessionVerifier verifies the sessions of one app.
func NewSessionVerifier(baseURL, appID string) *SessionVerifier {
	client := NewClient(Options{BaseURL: baseURL, Attempts: 1, Timeout: 10 * time.Second})
	return &SessionVerifier{client: client, appID: appID, issuer: strings.TrimRight(baseURL, "/") + "/" + appID}
}

// Verify returns the claims of a valid JWT, else ErrInvalidJWT or ErrKeysUnavailable.
func (v *SessionVerifier) Verify(ctx context.Context, jwt string) (*Claims, error) {
	parts := strings.Split(jwt, ".")
	if len(jwt) > 8_192 || len(parts) != 3 {
		return nil, ErrInvalidJWT
	}
	var claims Claims
	var header struct {
		Alg, Kid  string
		Crit, B64 json.RawMessage
	}
	signature, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	// The algorithm is fixed here and never taken from the JWT, which an attacker writes.
	if err != nil || decode(parts[0], &header) != nil || header.Alg != "RS256" || header.Crit != nil || header.B64 != nil {
		return nil, ErrInvalidJWT
	}
	key, err := v.key(ctx, header.Kid)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) != nil || decode(parts[1], &claims) != nil {
		return nil, ErrInvalidJWT
	}
	now := float64(time.Now().UnixMilli()) / 1_000
	isWhole := claims.Iss == v.issuer && claims.Aud == nil && claims.Sub != "" && claims.JTI != "" && claims.Iat != 0
	if !isWhole || claims.Exp <= now-tolerance || claims.Nbf == 0 || claims.Nbf > now+tolerance {
		return nil, ErrInvalidJWT
	}
	return &claims, nil
}

func (v *SessionVerifier) key(ctx context.Context, id string) (*rsa.PublicKey, error) {
	v.lock.Lock()
	defer v.lock.Unlock()
	if (time.Since(v.fetched) > keysLive || v.keys[id] == nil) && time.Since(v.tried) > fetchPause {
		v.tried = time.Now()
		// The next callers wait for the keys, too: the caller that goes away does not end the call.
		if set, err := v.client.Jwks.Get(detached{ctx}, v.appID); err == nil {
			v.keys, v.fetched = map[string]*rsa.PublicKey{}, v.tried
			for _, each := range set.Keys {
				modulus, _ := base64.RawURLEncoding.DecodeString(each.N)
				exponent, _ := base64.RawURLEncoding.DecodeString(each.E)
				e := int(new(big.Int).SetBytes(exponent).Int64())
				v.keys[each.Kid] = &rsa.PublicKey{N: new(big.Int).SetBytes(modulus), E: e}
			}
		}
	}
	// The service may restart, so the last keys serve for an hour.
	if time.Since(v.fetched) > keysStale {
		return nil, ErrKeysUnavailable
	}
	if v.keys[id] == nil {
		return nil, ErrInvalidJWT
	}
	return v.keys[id], nil
}

// detached has no end of its own. context.WithoutCancel needs Go 1.21.
type detached struct{ context.Context }

func (detached) Deadline() (end time.Time, isSet bool) { return }
func (detached) Done() <-chan struct{}                 { return nil }
func (detached) Err() error                            { return nil }

func decode(text string, result any) error {
	bytes, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return err
	}
	return json.Unmarshal(bytes, result)
}

// VerifyWebhook decodes the event of a webhook into result. The body is the bytes that arrived. While a secret rotates, pass both.
func VerifyWebhook(body []byte, header http.Header, result any, secrets ...string) error {
	stamp := header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	age := time.Now().Unix() - seconds
	if err != nil || age > oldest || age < -oldest {
		return ErrInvalidWebhook
	}
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			return errors.New("the secret is empty, or is not in base64")
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(header.Get("webhook-id") + "." + stamp + "."))
		mac.Write(body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
			if hmac.Equal([]byte(expected), []byte(given)) {
				return json.Unmarshal(body, result)
			}
		}
	}
	return ErrInvalidWebhook
}
