package identity

import (
	"context"
	"encoding/json"
)

// Iterator goes through all elements of a list. The next page is fetched when the end of one is reached.
type Iterator[T any] struct {
	client  *transport
	name    string
	ids     []string
	fields  map[string]any
	options []CallOptions
	items   []json.RawMessage
	isLast  bool
	value   T
	err     error
}

func newIterator[T any](client *transport, name string, ids []string, fields any, options []CallOptions) *Iterator[T] {
	iterator := &Iterator[T]{client: client, name: name, ids: ids, fields: map[string]any{}, options: options}
	text, err := json.Marshal(fields)
	if err == nil && string(text) != "null" {
		err = json.Unmarshal(text, &iterator.fields)
	}
	iterator.err = err
	return iterator
}

// Next says whether there is another element, which Value then returns. If there is none, Err says whether a call failed.
func (i *Iterator[T]) Next(ctx context.Context) bool {
	if i.err == nil && len(i.items) == 0 && !i.isLast {
		i.err = i.fetch(ctx)
	}
	if i.err != nil || len(i.items) == 0 {
		return false
	}
	var next T
	i.err = json.Unmarshal(i.items[0], &next)
	i.value, i.items = next, i.items[1:]
	return i.err == nil
}

// Value is the current element.
func (i *Iterator[T]) Value() T { return i.value }

// Err is the error that has ended the iteration, if one has.
func (i *Iterator[T]) Err() error { return i.err }

func (i *Iterator[T]) fetch(ctx context.Context) error {
	page := map[string]json.RawMessage{}
	if err := i.client.call(ctx, i.name, i.ids, i.fields, &page, i.options); err != nil {
		return err
	}
	for _, value := range page {
		if value[0] == '[' {
			if err := json.Unmarshal(value, &i.items); err != nil {
				return err
			}
		}
	}
	var limit, offset int
	hasMore := false
	_, isByOffset := page["offset"]
	_ = json.Unmarshal(page["offset"], &offset)
	_ = json.Unmarshal(page["limit"], &limit)
	if json.Unmarshal(page["has_more"], &hasMore) != nil {
		hasMore = len(i.items) == limit
	}
	i.isLast = !hasMore || len(i.items) == 0
	if i.isLast {
		return nil
	}
	if isByOffset {
		i.fields["offset"] = offset + len(i.items)
		return nil
	}
	last := struct {
		ID     string `json:"id"`
		UserID string `json:"user_id"`
	}{}
	if err := json.Unmarshal(i.items[len(i.items)-1], &last); err != nil {
		return err
	}
	if last.ID == "" {
		last.ID = last.UserID
	}
	cursor := "starting_after"
	if i.name == "events.list" {
		cursor = "after"
	}
	i.fields[cursor] = last.ID
	return nil
}
