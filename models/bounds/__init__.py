"""models/bounds"""
