"""A secret of each kind, made up, and how one says it."""

from __future__ import annotations

PLANTED = {
    "private key": "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\nq1w2e3r4\n-----END RSA PRIVATE KEY-----",
    "GitHub token": "ghp_" + "aB3dE6" * 6,
    "GitLab token": "glpat-x1Y2z3A4b5C6d7E8f9G0",
    "Slack token": "xoxb-" + "123456789012-abcdefABCDEF",
    "Stripe key": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "AWS key": "AKIA" + "IOSFODNN7EXAMPL3",
    "API key": "sk-proj-" + "Zx9cV8bN7mQ6wE5rT4",
    "web token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4",
    "bot token": "1234567890:AAF-abcdefghijklmnopqrstuvwxyz01234",
    "bearer token": "abc123def456ghi789jkl0",
    "password in an address": "s3cr3t-of-ana",
    "password": "hunter2!x",
    "named secret": "q9w8e7r6t5y4u3i2",
    "card number": "4111 1111 1111 1111",
}
SAID = {
    "bearer token": "send Authorization: Bearer {} with it",
    "password in an address": "the database is at postgres://ana:{}@db.example/main",
    "password": "my password is {}, keep it",
    "named secret": "put CLIENT_SECRET={} into it",
}


def said(kind: str) -> str:
    return SAID.get(kind, "it is {} indeed").format(PLANTED[kind])
