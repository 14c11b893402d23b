package opencode

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// schema is which columns each real table of a database has. Views, virtual tables
// and generated columns could compute without end, so they count as absent.
type schema map[string]map[string]bool

func readSchema(ctx context.Context, c *sql.Conn) (schema, error) {
	rows, err := c.QueryContext(ctx, `select lower(m.name), lower(p.name) from sqlite_schema m join pragma_table_info(m.name) p
		where m.type='table' and m.sql like 'create table%' and lower(m.name) in ('session','session_v2','session_message','message','part')`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	s := make(schema)
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return nil, err
		}
		if s[table] == nil {
			s[table] = make(map[string]bool)
		}
		s[table][column] = true
	}
	return s, rows.Err()
}

// has reports whether a table is there with these columns.
func (s schema) has(table string, columns ...string) bool {
	if s[table] == nil {
		return false
	}
	for _, c := range columns {
		if !s[table][c] {
			return false
		}
	}
	return true
}

// list is a select list of columns, null for those that the table lacks: versions
// and forks differ in what they have.
func (s schema) list(table string, columns ...string) string {
	out := make([]string, len(columns))
	for i, c := range columns {
		out[i] = "null"
		if s[table][c] {
			out[i] = fmt.Sprintf("%q", c)
		}
	}
	return strings.Join(out, ", ")
}

// cell is one value of a row as text. Any column may hold a value of any type.
type cell struct{ v any }

// Scan takes a value from the driver.
func (c *cell) Scan(v any) error {
	if b, ok := v.([]byte); ok {
		v = string(b)
	}
	c.v = v
	return nil
}

func (c cell) text() string {
	s, _ := c.v.(string)
	return s
}

func (c cell) bytes() []byte { return []byte(c.text()) }

func (c cell) int() (int64, bool) {
	n, ok := c.v.(int64)
	return n, ok
}

func (c cell) millis() int64 {
	switch v := c.v.(type) {
	case int64:
		return clampMillis(float64(v))
	case float64:
		return clampMillis(v)
	case time.Time: // what the driver makes of a text in a column declared as a time
		return clampMillis(float64(v.UnixMilli()))
	case string:
		return parseMillis(v)
	}
	return 0
}

// each runs a query and hands every row's cells to use.
func each(ctx context.Context, c *sql.Conn, use func([]cell) error, query string, args ...any) error {
	rows, err := c.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	cells := make([]cell, len(names))
	into := make([]any, len(names))
	for i := range cells {
		into[i] = &cells[i]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if err := use(cells); err != nil {
			return err
		}
	}
	return rows.Err()
}
