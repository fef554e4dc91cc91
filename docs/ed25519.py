"""Checks a signature of Ed25519 (RFC 8032) with Python's own numbers. It keeps no secret, so that it need not take care of time."""
import hashlib

P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493  # of the field, and of the group
D = -121665 * pow(121666, -1, P) % P
def point(b):  # (x, y, 1, xy): the coordinates of the RFC's section 5.1.4, which add without a division
    y, odd = int.from_bytes(b, "little") % 2**255, b[31] >> 7
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P: x = x * pow(2, (P - 1) // 4, P) % P
    if y >= P or (x * x - square) % P or (x == 0 and odd): raise ValueError("this is no point of the curve")
    x = x if x % 2 == odd else P - x
    return x, y, 1, x * y % P
def add(a, b):
    minus, plus = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    t, z = 2 * D * a[3] * b[3] % P, 2 * a[2] * b[2] % P
    e, f, g, h = plus - minus, z - t, z + t, plus + minus
    return e * f % P, g * h % P, f * g % P, e * h % P
def times(n, a):
    r = (0, 1, 1, 0)
    for bit in bin(n)[2:]: r = add(add(r, r), a) if bit == "1" else add(r, r)
    return r
def verify(key, message, sig):
    s, h = int.from_bytes(sig[32:], "little"), hashlib.sha512(sig[:32] + key + message).digest()
    base = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
    if len(sig) != 64 or s >= L: return False
    a, b = times(s, base), add(point(sig[:32]), times(int.from_bytes(h, "little") % L, point(key)))
    return (a[0] * b[2] - b[0] * a[2]) % P == 0 and (a[1] * b[2] - b[1] * a[2]) % P == 0
