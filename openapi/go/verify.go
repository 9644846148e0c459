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
	"time"
)

// ErrInvalidJWT says that a text is no valid session JWT of the app: answer 401.
var ErrInvalidJWT = errors.New("this is no valid session JWT")

// ErrKeysUnavailable says that the keys could not be fetched, so the JWT was not checked: answer 503.
var ErrKeysUnavailable = errors.New("the keys of the app could not be fetched")

// ErrInvalidWebhook says that a request is not signed with the secret, or is old: answer 400.
var ErrInvalidWebhook = errors.New("this is no valid webhook")

const (
	keysLive   = 5 * time.Minute
	fetchPause = 30 * time.Second
	keysStale  = time.Hour
	tolerance  = 5
	oldest     = 300
)

// Claims of a session JWT. Sub is the user, and JTI the session.
type Claims struct {
	Iss string           `json:"iss"`
	Sub string           `json:"sub"`
	JTI string           `json:"jti"`
	Iat float64          `json:"iat"`
	Nbf float64          `json:"nbf"`
	Exp float64          `json:"exp"`
	Aud *json.RawMessage `json:"aud"`
}

// SessionVerifier verifies session JWTs offline, by the keys that the app publishes. Keep one per process.
type SessionVerifier struct {
	client         *Client
	appID          string
	issuer         string
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
	header, claims := map[string]any{}, Claims{}
	signature, err := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if err != nil || decode(parts[0], &header) != nil || decode(parts[1], &claims) != nil {
		return nil, ErrInvalidJWT
	}
	// The algorithm is fixed here and never taken from the JWT, which an attacker writes.
	_, isCritical := header["crit"]
	_, isUnencoded := header["b64"]
	id, isText := header["kid"].(string)
	if header["alg"] != "RS256" || isCritical || isUnencoded || !isText {
		return nil, ErrInvalidJWT
	}
	key, err := v.key(ctx, id)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) != nil {
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
		set := struct {
			Keys []struct{ Kid, Kty, N, E string }
		}{}
		// The service may restart, so the last keys serve for an hour.
		// The next callers wait for the keys, too: the caller that goes away does not end the call.
		if v.client.Call(detached{ctx}, "jwks.get", []string{v.appID}, nil, &set) == nil {
			v.keys, v.fetched = map[string]*rsa.PublicKey{}, v.tried
			for _, each := range set.Keys {
				modulus, wrong := base64.RawURLEncoding.DecodeString(each.N)
				exponent, faulty := base64.RawURLEncoding.DecodeString(each.E)
				if each.Kty == "RSA" && wrong == nil && faulty == nil {
					e := int(new(big.Int).SetBytes(exponent).Int64())
					v.keys[each.Kid] = &rsa.PublicKey{N: new(big.Int).SetBytes(modulus), E: e}
				}
			}
		}
	}
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

func (detached) Deadline() (time.Time, bool) { return time.Time{}, false }
func (detached) Done() <-chan struct{}       { return nil }
func (detached) Err() error                  { return nil }

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
		if err != nil {
			return fmt.Errorf("the secret is not in base64: %w", err)
		}
		if len(key) == 0 {
			return errors.New("the secret is empty")
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
