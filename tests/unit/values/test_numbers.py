from occupancy.values.numbers import count, decimal, join_and, percent, size
from occupancy.values.resources import RESOURCES, Limiter


def test_resources_and_their_bits() -> None:
    bits = {"warps": 1, "blocks": 2, "registers": 4, "shared_memory": 8, "barriers": 16}
    bits |= {"virtual_resources": 32, "tensor_memory": 64}
    assert [(each, int(Limiter[each.upper()])) for each in RESOURCES] == list(bits.items())
    assert Limiter(127).resources == tuple(bits)


def test_numbers_in_words() -> None:
    shares = {0: "0%", 1: "100%", 0.75: "75%", 0.625: "62.5%", 2 / 3: "66.7%", 0.0625: "6.3%"}
    shares |= {0.1875: "18.8%", 0.0004: "<0.1%", 0.9996: ">99.9%"}
    assert {share: percent(share) for share in shares} == shares
    sizes = {0: "0 bytes", 1001: "1,001 bytes", 1024: "1 KiB", 1152: "1.125 KiB", 232448: "227 KiB"}
    assert {amount: size(amount) for amount in sizes} == sizes
    assert [*map(decimal, (2, 25 / 3, 1057 / 1056, 0.99999))] == ["2.00", "8.33", "1.001", "0.99999"]
    assert (count(1, "block"), count(1536, "thread")) == ("1 block", "1,536 threads")
    assert join_and(["a"]) == "a"
    assert join_and(["a", "b", "c"]) == "a, b and c"
