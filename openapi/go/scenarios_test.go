package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"
)

type scenario struct {
	Says, Call, Iterate string
	IDs                 []string
	Fields              any
	Headers             map[string]string
	IdempotencyKey      string `json:"idempotency_key"`
	Timeout             float64
	Refused             *string
	Status              *int64
	Count               *int
	Least               int
	Field               string
	Saves, Matches      map[string]string
	Expects             map[string]any
	JWT                 *string
	Webhook             *string
	Valid               bool
}

// The environment has the service, the keys, the scenarios and the values that they name. Without it there is nothing to run.
type given struct {
	BaseURL        string   `json:"base_url"`
	SecretKey      string   `json:"secret_key"`
	ManagementKey  string   `json:"management_key"`
	WebhookSecrets []string `json:"webhook_secrets"`
	Values         map[string]any
	Scenarios      []scenario
}

func TestScenarios(t *testing.T) {
	text, isGiven := os.LookupEnv("SCENARIOS")
	if !isGiven {
		t.Skip("The tests of the project run the scenarios against a service.")
	}
	var all given
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	client := NewClient(Options{BaseURL: all.BaseURL, SecretKey: all.SecretKey, ManagementKey: all.ManagementKey})
	sessions := NewSessionVerifier(all.BaseURL, all.Values["app"].(string))
	for _, each := range all.Scenarios {
		if err := each.run(&all, client, sessions); err != nil {
			t.Errorf("%s: %v", each.Says, err)
		}
	}
	// The methods have types of their own.
	ann, err := client.Users.Get(context.Background(), all.Values["ann"].(string))
	if err != nil || ann.Emails[0].Email != "ann@example.com" {
		t.Error(ann, err)
	}
	client.Users.All(context.Background(), &SearchUsersRequest{Limit: Ptr(int64(10))})(func(user UserResponse, err error) bool {
		if err != nil || user.UserID == "" {
			t.Error(user, err)
		}
		return true
	})
	fmt.Printf("%d scenarios\n", len(all.Scenarios))
}

func (s scenario) run(all *given, client *Client, sessions *SessionVerifier) error {
	ctx := context.Background()
	if s.JWT != nil {
		_, err := sessions.Verify(all.filled(*s.JWT).(string))
		return expect(s.Valid, err == nil)
	}
	if s.Webhook != nil {
		sent := all.filled(*s.Webhook).(map[string]any)
		header := http.Header{}
		for name, value := range sent["headers"].(map[string]any) {
			header.Set(name, value.(string))
		}
		event := struct{ Type string }{}
		err := VerifyWebhook([]byte(sent["body"].(string)), header, &event, all.WebhookSecrets...)
		return expect(s.Valid, err == nil && event.Type == "user.created")
	}
	ids := []string{}
	for _, id := range s.IDs {
		ids = append(ids, all.filled(id).(string))
	}
	if s.Iterate != "" {
		count, err := s.count(ctx, client, ids)
		if s.Count != nil && *s.Count != count || count < s.Least {
			return fmt.Errorf("there are %d", count)
		}
		return err
	}
	options := []CallOption{}
	if s.IdempotencyKey != "" {
		options = append(options, IdempotencyKey(s.IdempotencyKey))
	}
	for name, value := range s.Headers {
		options = append(options, Header(name, value))
	}
	if s.Timeout != 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(s.Timeout*float64(time.Second)))
		defer cancel()
		ctx = limited
	}
	fields := all.filled(s.Fields)
	if given, _ := fields.(map[string]any); routes[s.Call].method == http.MethodGet {
		query := url.Values{}
		for name, value := range given {
			query.Set(name, fmt.Sprint(value))
		}
		fields = query
	}
	var data map[string]any
	err := client.Call(ctx, s.Call, ids, fields, &data, options...)
	if s.Refused != nil || s.Status != nil {
		return s.check(err)
	}
	if err != nil {
		return err
	}
	for name, path := range s.Saves {
		all.Values[name] = at(data, path)
	}
	for path, value := range s.Expects {
		if err := expect(all.filled(value), at(data, path)); err != nil {
			return err
		}
	}
	for path, start := range s.Matches {
		if !strings.HasPrefix(at(data, path).(string), start) {
			return fmt.Errorf("%s is %v", path, at(data, path))
		}
	}
	return nil
}

// count goes through a list, of which each has a type of its own.
func (s scenario) count(ctx context.Context, client *Client, ids []string) (int, error) {
	switch s.Iterate {
	case "users.search":
		return counted(client.Users.All(ctx, fieldsOf[SearchUsersRequest](s)))
	case "events.list":
		return counted(client.Events.All(ctx, fieldsOf[EventsListQuery](s)))
	case "transfers.list":
		return counted(client.Transfers.All(ctx, fieldsOf[TransfersListQuery](s)))
	case "management.apps.users.list":
		return counted(client.Management.Apps.Users.All(ctx, ids[0], fieldsOf[ManagementAppsUsersListQuery](s)))
	}
	return 0, fmt.Errorf("the test does not know the list %s", s.Iterate)
}

func fieldsOf[T any](s scenario) *T {
	fields := new(T)
	text, _ := json.Marshal(s.Fields)
	_ = json.Unmarshal(text, fields)
	return fields
}

func counted[T any](all func(yield func(T, error) bool)) (count int, failure error) {
	all(func(_ T, err error) bool {
		count++
		failure = err
		return true
	})
	return count, failure
}

func (s scenario) check(err error) error {
	var response *Error
	var network *url.Error
	kind, status := "argument", int64(0)
	switch {
	case err == nil:
		return errors.New("it succeeds")
	case errors.As(err, &response):
		kind, status = response.ErrorType, response.Status
		if kind != "" && !errors.Is(err, ErrorType(kind)) || errors.Is(err, ErrReadOnly) {
			return fmt.Errorf("the type is not %s", kind)
		}
		text, _ := json.Marshal(response.Errors)
		if s.Field != "" && !strings.Contains(string(text), `"field":"`+s.Field+`"`) {
			return fmt.Errorf("the fields are %s", text)
		}
	case errors.Is(err, context.DeadlineExceeded):
		kind = "timeout"
	case errors.As(err, &network):
		kind = "network"
	}
	if s.Status != nil && *s.Status != status {
		return err
	}
	if s.Refused != nil && *s.Refused != kind {
		return err
	}
	return nil
}

func (g *given) filled(value any) any {
	switch value := value.(type) {
	case string:
		if strings.HasPrefix(value, "$") {
			return g.Values[value[1:]]
		}
	case []any:
		filled := []any{}
		for _, each := range value {
			filled = append(filled, g.filled(each))
		}
		return filled
	case map[string]any:
		filled := map[string]any{}
		for name, each := range value {
			filled[name] = g.filled(each)
		}
		return filled
	}
	return value
}

func at(data any, path string) any {
	for _, part := range strings.Split(path, ".") {
		switch each := data.(type) {
		case []any:
			index, _ := strconv.Atoi(part)
			data = each[index]
		case map[string]any:
			data = each[part]
		}
	}
	return data
}

func expect(expected, actual any) error {
	if !reflect.DeepEqual(expected, actual) {
		return fmt.Errorf("%v, not %v", actual, expected)
	}
	return nil
}
