reckon --version
=== stdout
reckon 0.2.0
