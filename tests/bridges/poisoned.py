"""A good update of a Bot API, and what may stand in it instead of what should: a line of a table each."""

from __future__ import annotations

GOOD = """{"update_id": ID, "message": {"message_id": 5, "date": 1700000000, "text": "poison", "entities": [],
"from": {"id": 11, "username": "ana", "first_name": "Ana"}, "chat": {"id": 11, "type": "private"}}}"""
HUGE, LONG = "1" + 400 * "0", "1" + 5000 * "0"  # more than 4,300 digits Python refuses to read
DEEP = 200_000 * "[" + 200_000 * "]"
VALUES = [HUGE, LONG, "-" + HUGE, "1e999", "-1e999", "NaN", "Infinity", "1.5", "true", '"x"', "[]", "[7]", "{}"]

POISON = [
    *(('"date": 1700000000', f'"date": {value}') for value in [*VALUES, "99999999999999"]),
    *(('"message_id": 5', f'"message_id": {value}') for value in [*VALUES, "null", "4294967296"]),
    *(('"chat": {"id": 11', f'"chat": {{"id": {value}') for value in [*VALUES, "null"] if value != '"x"'),
    *(('"from": {"id": 11', f'"from": {{"id": {value}') for value in [*VALUES, "null"]),
    *(('"text": "poison"', f'"text": {value}') for value in ["5", "[7]", '{"a": 1}', '"' + 70_000 * "x" + '"']),
    *(('"entities": []', f'"entities": {value}') for value in ["5", "[5]", "[{}]", "[[]]", '[{"offset": 1e999}]']),
    ('"entities": []', '"entities": [' + ", ".join(['{"offset": 0, "length": 1}'] * 300) + "]"),
    ('"entities": []', '"entities": [{"offset": 0, "length": 1, "user": 5}]'),
    ('"entities": []', '"reply_to_message": [1]'),
    ('"entities": []', '"reply_to_message": {"from": {"id": "x"}}'),
    ('"entities": []', '"document": 5'),
    ('"entities": []', '"document": {"file_id": 5}'),
    ('"entities": []', '"document": {"file_id": "f", "file_size": 1e999}'),
    ('"entities": []', '"document": {"file_id": "f", "file_name": ["a"]}'),
    ('"entities": []', '"photo": [5]'),
    ('"entities": []', '"photo": {"a": 1}'),
    ('"entities": []', '"photo": [{"file_id": "f", "file_size": "x"}]'),
    ('"first_name": "Ana"', '"last_name": 5'),
    ('"username": "ana"', '"username": ["ana"]'),
    ('"type": "private"', '"type": "group", "title": {"a": 1}'),
    ('"type": "private"}', '"type": "supergroup"}, "is_topic_message": true, "message_thread_id": "x"'),
    ('"message":', '"message": 5, "x":'),
    ('"message":', '"message": [1], "x":'),
    ('"message":', '"edited_message": {"from": 5}, "x":'),
    ('"text": "poison"', f'"text": {DEEP}'),
    ('"message": {', f'"message": {DEEP}, "x": {{'),
    (GOOD, "5"),
    (GOOD, "null"),
    (GOOD, '"x"'),
    (GOOD, "[]"),
    (GOOD, "{}"),
    (GOOD, '{"update_id": ID, "message": {"from": {}}'),  # no JSON at all
    (GOOD, '{"update_id": ID, "message": {\x00}}'),
    (GOOD, '{"update_id": ID, "message": {"text": "' + 20_000_000 * "x" + '"}}'),
    *((GOOD, f'{{"update_id": {value}, "message": 5}}') for value in [*VALUES, "null", "4294967296"]),
]
