"""What an answer can be once it is read: ``kinds`` of values · ``intervals`` unions and intersections of them."""
